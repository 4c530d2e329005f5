/// Paths, arguments and environment variables as strings. To the system they are bytes, which need not be UTF-8.
///
/// A byte that is no part of UTF-8 becomes one scalar of a range for private use, as in Python's "surrogateescape"
/// (PEP 383). A scalar of that range becomes one for each of its own bytes. So every sequence of bytes has a string of its
/// own, and a string that was made here turns back into the same bytes.
///
/// The calls of the system in `SystemCalls.swift` take such strings. What is shown to people goes through `TerminalText`.
package enum SystemText {
    /// The scalar that stands for a byte is this far above it: U+10F780 to U+10F7FF.
    private static let offset: UInt32 = 0x10F700

    /// Whether the scalar stands for a byte.
    package static func isByte(_ scalar: Unicode.Scalar) -> Bool {
        (offset + 0x80...offset + 0xFF).contains(scalar.value)
    }

    /// Whether the text may hold a scalar that stands for a byte: each of them begins with this byte in UTF-8.
    private static func mayHoldBytes(_ text: String) -> Bool { text.utf8.contains(0xF4) }

    /// The string for these bytes.
    package static func string(_ bytes: some RandomAccessCollection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !mayHoldBytes(text) { return text }
        var scalars = String.UnicodeScalarView()
        var rest = bytes[...]
        while let byte = rest.first {
            if let scalar = firstScalar(of: rest), !isByte(scalar) {
                scalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                // A byte of a valid scalar is above 0x7F here too: only scalars of several bytes are taken apart.
                if let scalar = Unicode.Scalar(offset + UInt32(byte)) { scalars.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        return String(scalars)
    }

    /// The scalar that the bytes begin with, or nil if they don't begin with one in UTF-8.
    private static func firstScalar(of bytes: some RandomAccessCollection<UInt8>) -> Unicode.Scalar? {
        for length in 1...4 {
            if let text = String(validating: bytes.prefix(length), as: UTF8.self) {
                return text.unicodeScalars.first
            }
        }
        return nil
    }

    /// The string for the bytes before the first zero.
    package static func string(_ start: UnsafePointer<CChar>) -> String {
        string(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }

    /// The bytes that the string stands for.
    package static func bytes(_ text: String) -> [UInt8] {
        guard mayHoldBytes(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            isByte(scalar)
                ? [UInt8(scalar.value - offset)] : Array(UTF8.encode(scalar) ?? UTF8.EncodedScalar())
        }
    }

    /// The string as text: what isn't UTF-8 in it is U+FFFD.
    package static func repaired(_ text: String) -> String {
        mayHoldBytes(text) ? String(decoding: bytes(text), as: UTF8.self) : text
    }

    /// Lends the bytes, with a zero behind them, to a call of the system.
    package static func withBytes<Result>(
        _ text: String, _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        guard mayHoldBytes(text) else { return text.withCString(body) }
        let bytes = bytes(text).map(CChar.init(bitPattern:)) + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            // It has a zero at least, so it has a beginning.
            buffer.baseAddress.map(body) ?? "".withCString(body)
        }
    }
}

/// The words that this process was called with.
package enum ProgramWords {
    /// What it was called by, and its arguments.
    package static let all: [String] =
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { SystemText.string($0) } }

    /// Its arguments.
    package static var arguments: [String] { Array(all.dropFirst()) }
}
