// QR codes against those of an independent encoder (python-qrcode 8.2, level M, bytes, with the same mask).
// A camera was tried once: zbar reads all sizes of these vectors off a picture.

import Testing

@testable import ConsoleServer

/// The text of so many bytes, its mask, the side of its code, and FNV-1a of its modules as 0 and 1.
private let vectors: [(bytes: Int, mask: Int, size: Int, hash: UInt64)] = [
    (1, 0, 21, 0xCB64_A742_79F8_1011), (14, 1, 21, 0xDDE9_D855_1345_FFF5),
    (15, 2, 25, 0xC8B1_049E_49A6_214F), (26, 4, 25, 0x8023_58CE_EE80_F967),
    (84, 5, 37, 0x47E1_22B2_25EF_8E28), (106, 6, 41, 0x0C6D_7031_E528_3D61),
    (107, 7, 45, 0x6413_ADD2_D050_0F0D), (180, 0, 53, 0x3677_18F9_6EB7_2B5D),
    (213, 2, 57, 0x7B0D_07B8_BBE1_DB77), (214, 1, 61, 0x61F8_E706_6AB5_ADF0),
    (400, 3, 77, 0xA923_6980_17C0_4616), (666, 4, 97, 0xDCB7_27EE_49C9_5EB5),
    (1_000, 5, 121, 0x61E5_702A_9981_264C), (1_631, 6, 153, 0x2257_B270_2425_DFC1),
    (2_000, 7, 169, 0x7F06_953B_EDDE_2EA5), (2_331, 0, 177, 0xC058_D45C_15B6_8799),
]

private func text(_ count: Int) -> [UInt8] {
    let token = "repl1-ahx5zzhko3ulobvgsj67vsdtb2hnfmodb2i4dfkiryqkrilotmfql4r2ovbjpt4wn4uszmi3o2um"
    return Array(String(repeating: token, count: 40).utf8.prefix(count))
}

private func hash(_ modules: [Bool]) -> UInt64 {
    modules.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ ($1 ? 0x31 : 0x30)) &* 0x100_0000_01B3 }
}

@Suite struct QRCodeTests {
    @Test("codes of all sizes are those of another encoder", arguments: vectors.indices)
    func vector(index: Int) throws {
        let vector = vectors[index]
        let code = try #require(QRCode(text(vector.bytes), mask: vector.mask))
        #expect(code.size == vector.size && hash(code.modules) == vector.hash)
    }

    @Test("a small code, module by module")
    func small() throws {
        let code = try #require(QRCode(Array("repl1-token".utf8), mask: 3))
        let rows = String(decoding: code.json, as: UTF8.self)
        #expect(rows.hasPrefix(#"{"size":21,"rows":["111111101111101111111","100000101100001000001","#))
        #expect(
            rows.hasSuffix(
                #""101110101100110100100","100000100111111101001","111111101101111011100"]}"#))
    }

    @Test("the mask that is chosen has the lowest penalty")
    func mask() throws {
        for count in [1, 60, 180, 400] {
            let chosen = try #require(QRCode(text(count)))
            let all = try (0...7).map { try #require(QRCode(text(count), mask: $0)) }
            let least = all.map { QRPenalty.of($0.modules, $0.size) }.min()
            #expect(QRPenalty.of(chosen.modules, chosen.size) == least && all.contains(chosen))
        }
    }

    @Test("what does not fit, and nothing, is no code")
    func bounds() {
        #expect(QRCode(text(QRCode.bytesMax)) != nil)
        #expect(QRCode(text(QRCode.bytesMax + 1)) == nil)
        #expect(QRCode([]) == nil)
    }

    @Test("a divisor of error correction has its powers of two as roots")
    func roots() {
        for degree in [10, 16, 30] {
            let generator = [1] + QRBlocks.generator(degree)
            var root: UInt8 = 1
            for _ in 0..<degree {
                #expect(generator.reduce(UInt8(0)) { QRBlocks.product($0, root) ^ $1 } == 0)
                root = QRBlocks.product(root, 2)
            }
        }
    }
}
