/// Paths, arguments and environment variables as strings. To the system they are bytes, which need not be
/// UTF-8.
///
/// A byte that is not part of UTF-8 becomes one scalar of a private-use range, like Python's
/// "surrogateescape" (PEP 383). A scalar of that range in the input becomes one scalar for each of its bytes.
/// So every byte sequence has its own string, and a string made here converts back into the same bytes.
///
/// The system calls in `SystemCalls.swift` take such strings. Text that is shown to people goes through
/// `TerminalText`.
package enum SystemText {
    /// The difference between a byte and its scalar: bytes become U+10F780 to U+10F7FF.
    private static let offset: UInt32 = 0x10F700

    /// Whether the scalar stands for a byte.
    package static func isByte(_ scalar: Unicode.Scalar) -> Bool {
        (offset + 0x80...offset + 0xFF).contains(scalar.value)
    }

    /// Whether the text may contain a scalar that stands for a byte. Each of them begins with the byte 0xF4
    /// in UTF-8.
    private static func mayHoldBytes(_ text: String) -> Bool { text.utf8.contains(0xF4) }

    /// Returns the string for these bytes.
    package static func string(_ bytes: some RandomAccessCollection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !mayHoldBytes(text) { return text }
        var scalars = String.UnicodeScalarView()
        var rest = bytes[...]
        while let byte = rest.first {
            if let scalar = firstScalar(of: rest), !isByte(scalar) {
                scalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                // The byte is above 0x7F, as `isByte` requires: it doesn't begin a scalar, or it begins one
                // of the private-use range, which has four bytes.
                if let scalar = Unicode.Scalar(offset + UInt32(byte)) { scalars.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        return String(scalars)
    }

    /// Returns the scalar at the start of the bytes, or nil if they don't begin with one in UTF-8.
    private static func firstScalar(of bytes: some RandomAccessCollection<UInt8>) -> Unicode.Scalar? {
        for length in 1...4 {
            if let text = String(validating: bytes.prefix(length), as: UTF8.self) {
                return text.unicodeScalars.first
            }
        }
        return nil
    }

    /// Returns the string for the bytes before the first zero.
    package static func string(_ start: UnsafePointer<CChar>) -> String {
        string(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }

    /// Returns the bytes for which the string stands.
    package static func bytes(_ text: String) -> [UInt8] {
        guard mayHoldBytes(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            isByte(scalar)
                ? [UInt8(scalar.value - offset)] : Array(UTF8.encode(scalar) ?? UTF8.EncodedScalar())
        }
    }

    /// Returns the string as text: bytes that aren't UTF-8 become U+FFFD.
    package static func repaired(_ text: String) -> String {
        mayHoldBytes(text) ? String(decoding: bytes(text), as: UTF8.self) : text
    }

    /// Calls `body` with the string's bytes and a final zero, for a system call.
    package static func withBytes<Result>(
        _ text: String, _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        guard mayHoldBytes(text) else { return text.withCString(body) }
        let bytes = bytes(text).map(CChar.init(bitPattern:)) + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            // It contains at least the zero, so it has a base address.
            buffer.baseAddress.map(body) ?? "".withCString(body)
        }
    }
}

/// The command line of this process.
package enum ProgramWords {
    /// The name by which it was called, and its arguments.
    package static let all: [String] =
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { SystemText.string($0) } }

    /// Its arguments.
    package static var arguments: [String] { Array(all.dropFirst()) }
}
