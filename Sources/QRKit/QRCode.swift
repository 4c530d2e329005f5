import CQREncode

/// A QR code (ISO/IEC 18004), which libqrencode makes.
package struct QRCode: Hashable, Sendable {
    /// The rows of modules, from the top; true is dark. All have as many modules as there are rows. The light
    /// margin of four modules that readers need isn't part of them.
    package let rows: [[Bool]]

    /// The reason why there is no code.
    package enum Failure: Error, Hashable, Sendable {
        /// The library isn't installed. The text is the system's message. A browser's build has the library.
        case noLibrary(String)
        /// The text is empty or too long: a code holds some 2,900 bytes.
        case unsuitableText
    }

    /// Makes the code of a text, with the least correction of errors: a screen shows it undamaged.
    package init(_ text: String) throws(Failure) {
        let library = try QRCode.library()
        // Version 0 lets the library choose the smallest that holds the text. It finds parts that need fewer bits
        // a letter, such as digits and capitals, by itself.
        let made = library.QRcode_encodeString(
            text, 0, Int32(LOCKSTEP_QR_LEVEL_LOW), Int32(LOCKSTEP_QR_MODE_BYTES), 1)
        guard let made else { throw .unsuitableText }
        defer { library.QRcode_free(made) }
        let width = Int(made.pointee.width)
        let modules = UnsafeBufferPointer(start: made.pointee.data, count: width * width)
        rows = (0..<width).map { row in
            (0..<width).map { column in modules[row * width + column] & 1 == 1 }
        }
    }
}
