import SystemKit
import Testing

@Suite("Bytes as lines")
struct LineBufferTests {
    /// Appends a text to `buffer`, and returns the lines that are complete then.
    private func lines(_ text: String, in buffer: inout LineBuffer) -> [String] {
        buffer.append(text.utf8)
        var lines: [String] = []
        while let line = buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines
    }

    @Test("a line is there once its newline is, however its bytes come")
    func pieces() {
        var buffer = LineBuffer(limit: 8)
        #expect(lines("on", in: &buffer) == [])
        #expect(lines("e\ntwo\n\nthr", in: &buffer) == ["one", "two", ""])
        #expect(lines("ee\n", in: &buffer) == ["three"])
        #expect(lines("", in: &buffer) == [])
        // Lines that nobody has taken yet come before later ones.
        buffer.append("one\ntwo\n".utf8)
        #expect(lines("three\nfour\n", in: &buffer) == ["one", "two", "three", "four"])
    }

    @Test(
        "a line of the longest length is whole, and a longer one is cut off there, as is known before it ends"
    )
    func limit() {
        var buffer = LineBuffer(limit: 4)
        #expect(lines("1234", in: &buffer) == [])
        #expect(!buffer.isOverfull)
        #expect(lines("\n12345", in: &buffer) == ["1234"])
        #expect(buffer.isOverfull)
        #expect(lines("6789", in: &buffer) == [])
        #expect(lines("\nab\n", in: &buffer) == ["1234", "ab"])
        #expect(!buffer.isOverfull)
    }
}
