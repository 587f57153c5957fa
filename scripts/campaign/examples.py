# SPDX-License-Identifier: Apache-2.0
"""A small file or several of each kind that rill reads."""
import gzip
import io
import struct
import zipfile
import zlib

import common


def npy(values=bytes(range(64)), shape="(4, 4, 4)", kind="|u1"):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values


def npz():
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("a.npy", npy())
        yield file.getvalue()


def nrrd():
    head = b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 4 4\nspacings: 1 1 1\nencoding: %s\n\n"
    return [head % b"raw" + bytes(range(64)), head % b"gzip" + gzip.compress(bytes(range(64)), mtime=0), head % b"ascii" + b" ".join(b"%d" % k for k in range(64))]


def mhd():
    return [b"ObjectType = Image\nNDims = 3\nDimSize = 4 4 4\nElementSpacing = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n" + bytes(range(64))]


def nifti():
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3, 4, 4, 4, 1, 1, 1, 1)
    struct.pack_into("<2h", head, 70, 2, 8)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<f", head, 108, 352)
    head[344:348] = b"n+1\0"
    return [bytes(head) + bytes(range(64)), gzip.compress(bytes(head) + bytes(range(64)), mtime=0)]


def vti():
    return [b'<?xml version="1.0"?><VTKFile type="ImageData" version="1.0" byte_order="LittleEndian"><ImageData WholeExtent="0 1 0 1 0 1" Origin="0 0 0" Spacing="1 1 1">'
            b'<Piece Extent="0 1 0 1 0 1"><PointData Scalars="a"><DataArray type="UInt8" Name="a" format="ascii">0 1 0 1 1 0 1 0</DataArray></PointData></Piece></ImageData></VTKFile>']


def netcdf():
    def name(text):
        return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)
    dims = struct.pack(">II", 10, 3) + b"".join(name(n) + struct.pack(">I", 4) for n in (b"z", b"y", b"x"))
    variable = name(b"a") + struct.pack(">IIII", 3, 0, 1, 2) + struct.pack(">II", 0, 0) + struct.pack(">II", 1, 64)
    head = b"CDF\x01" + struct.pack(">I", 0) + dims + struct.pack(">II", 0, 0) + struct.pack(">II", 11, 1) + variable
    return [head + struct.pack(">I", len(head) + 4) + bytes(range(64))]


def tiff():
    def entry(tag, kind, value):
        return struct.pack("<HHII", tag, kind, 1, value)
    tags = [(256, 3, 8), (257, 3, 8), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1), (278, 3, 8), (279, 4, 64)]
    return [b"II*\0" + struct.pack("<I", 72) + bytes(range(64)) + struct.pack("<H", len(tags)) + b"".join(entry(*t) for t in tags) + struct.pack("<I", 0)]


def vtk():
    head = b"# vtk DataFile Version 3.0\na\n%s\nDATASET STRUCTURED_POINTS\nDIMENSIONS 4 4 4\nSPACING 1 1 1\nORIGIN 0 0 0\n"
    scalars = b"POINT_DATA 64\nSCALARS a unsigned_char 1\nLOOKUP_TABLE default\n"
    field = b"FIELD FieldData 1\nt 1 1 double\n0.5\nMETADATA\nINFORMATION 0\n\nCELL_DATA 27\nVECTORS v float\n" + b"0 " * 81 + b"\nFIELD f 1\na%20b 1 27 short\n" + b"1 " * 27
    colours = b"POINT_DATA 64\nCOLOR_SCALARS a 1\n"
    text = b" ".join(b"%d" % k for k in range(64)) + b"\n"
    return [head % b"BINARY" + scalars + bytes(range(64)), head % b"ASCII" + scalars + text, head % b"ASCII" + field,
            head % b"BINARY" + colours + bytes(range(64)), head % b"ASCII" + colours + b" ".join(b"%.6g" % (k / 255) for k in range(64))]


def png():
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    def picture(bits, colour, channels, interlaced=0):
        row = b"\0" + bytes((4 * channels * bits + 7) // 8)
        palette = chunk(b"PLTE", bytes(3 << bits)) if colour == 3 else b""
        # Interlaced, 4 x 4 pixels are 1 x 1, 1 x 1 (pass 4), 2 x 1, 2 x 2 and 4 x 2.
        rows = row * 4 if not interlaced else b"".join((b"\0" + bytes((width * channels * bits + 7) // 8)) * height for width, height in ((1, 1), (1, 1), (2, 1), (2, 2), (4, 2)))
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, bits, colour, 0, 0, interlaced)) + palette + chunk(b"IDAT", zlib.compress(rows))
                + chunk(b"IEND", b""))
    return [picture(8, 0, 1), picture(16, 0, 1), picture(1, 0, 1), picture(4, 3, 1), picture(8, 2, 3), picture(16, 4, 2), picture(8, 0, 1, 1)]


def text():
    return [b"0 1 2 3\n4 5 6 7\n\n0 1 2 3\n4 5 6 7\n", b"0,1.5\n2e1,3\n# next\n0,-1\n2,3\n", b"1;2\r\n3;4\r\n"]


CORNERS, FACES = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def stl():
    text = "solid a\n" + "".join("facet normal 0 0 0\nouter loop\n%s\nendloop\nendfacet\n" % "\n".join("vertex %g %g %g" % CORNERS[k] for k in face) for face in FACES) + "endsolid a\n"
    return [text.encode(), bytes(80) + struct.pack("<I", 4) + b"".join(struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in CORNERS[k]), 0) for face in FACES)]


def obj():
    return [("g a\n" + "".join("v %g %g %g\n" % c for c in CORNERS) + "".join("f %d %d %d\n" % tuple(k + 1 for k in face) for face in FACES)).encode()]


def ply():
    head = "ply\nformat %s 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    text = "".join("%g %g %g\n" % c for c in CORNERS) + "".join("3 %d %d %d\n" % face for face in FACES)
    data = b"".join(struct.pack("<3f", *c) for c in CORNERS) + b"".join(struct.pack("<B3i", 3, *face) for face in FACES)
    return [(head % "ascii" + text).encode(), (head % "binary_little_endian").encode() + data]


def vtp():
    points, faces = " ".join("%g %g %g" % c for c in CORNERS), " ".join("%d %d %d" % face for face in FACES)
    return [('<?xml version="1.0"?><VTKFile type="PolyData" version="1.0" byte_order="LittleEndian"><PolyData><Piece NumberOfPoints="4" NumberOfPolys="4"><Points>'
             '<DataArray type="Float32" NumberOfComponents="3" format="ascii">%s</DataArray></Points><Polys><DataArray type="Int64" Name="connectivity" format="ascii">%s</DataArray>'
             '<DataArray type="Int64" Name="offsets" format="ascii">3 6 9 12</DataArray></Polys></Piece></PolyData></VTKFile>' % (points, faces)).encode()]


def kept(name):
    return [path.read_bytes() for path in sorted((common.ROOT / "tests/fuzz/corpus" / name).iterdir())]


EXAMPLES = {"image-tiff": tiff, "image-npy": lambda: [npy(), npy(bytes(128), kind="<u2")], "image-nrrd": nrrd, "image-mhd": mhd, "image-nifti": nifti, "image-npz": npz,
            "image-vti": vti, "image-vtk": vtk, "image-png": png, "image-text": text, "raw-gz": lambda: [gzip.compress(bytes(range(64)), mtime=0)], "image-netcdf": netcdf, "image-hdf5": lambda: kept("geometry"), "stl": stl, "obj": obj, "ply": ply, "vtp": vtp}
EXAMPLES["info"] = lambda: [data for name in sorted(EXAMPLES) if name not in ("image", "info") for data in EXAMPLES[name]()] + kept("result") + kept("checkpoint")
EXAMPLES["image"] = lambda: [data for name in sorted(EXAMPLES) if name.startswith("image-") for data in EXAMPLES[name]()]


def of(name):
    """Return the example files of a harness of tests/fuzz, as bytes."""
    return list(EXAMPLES[name]()) if name in EXAMPLES else kept(name)
