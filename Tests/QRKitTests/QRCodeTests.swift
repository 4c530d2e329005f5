import QRKit
import Testing

@Suite("QR codes")
struct QRCodeTests {
    @Test(
        "a code has the three corner squares of its standard, and a side of 21 modules or four more at a time"
    )
    func corners() throws {
        let code = try QRCode("HTTPS://EXAMPLE.ORG")
        let side = code.rows.count
        #expect(side >= 21)
        #expect((side - 21).isMultiple(of: 4))
        #expect(code.rows.allSatisfy { $0.count == side })
        let square = [true, true, true, true, true, true, true]
        #expect(Array(code.rows[0].prefix(7)) == square)
        #expect(Array(code.rows[0].suffix(7)) == square)
        #expect(Array(code.rows[side - 1].prefix(7)) == square)
        #expect(Array(code.rows[side - 1].suffix(7)) != square)
    }

    @Test("different texts have different codes, and longer ones need more modules")
    func texts() throws {
        #expect(try QRCode("a") != QRCode("b"))
        #expect(try QRCode("a").rows.count < QRCode(String(repeating: "a", count: 500)).rows.count)
    }

    @Test(
        "no text and a text that no code holds are refused",
        arguments: ["", String(repeating: "a", count: 3000)])
    func unsuitable(_ text: String) {
        #expect(throws: QRCode.Failure.unsuitableText) { try QRCode(text) }
    }

    @Test("as text, each character shows two modules, and a light margin is on all sides")
    func terminalText() throws {
        let code = try QRCode("Focus")
        let lines = code.text.split(separator: "\n").map { Array($0) }
        #expect(lines.count == (code.rows.count + 5) / 2)
        #expect(lines.allSatisfy { $0.count == code.rows.count + 4 })
        #expect(lines[0].allSatisfy { $0 == "█" })
        #expect(lines.allSatisfy { $0.prefix(2) == ["█", "█"] || $0 == lines.last })
        let shown = lines.map { $0.dropFirst(2).dropLast(2) }.dropFirst().flatMap { line in
            [line.map { $0 == " " || $0 == "▄" }, line.map { $0 == " " || $0 == "▀" }]
        }
        #expect(Array(shown.prefix(code.rows.count)) == code.rows)
    }
}
