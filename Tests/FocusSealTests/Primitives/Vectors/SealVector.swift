import FocusCore

@testable import FocusSeal

// The files of this folder are compiled twice: for these tests, with OpenSSL, and by `scripts/check-portable`
// for a browser, with BearSSL. So they are Embedded Swift, and import no testing library.

/// A computation with a known result.
struct SealVector: Sendable {
    /// The result of a computation.
    enum Outcome: Hashable, Sendable {
        /// A text, mostly of hexadecimal digits.
        case text(String)
        /// An error of this kind.
        case failure(SealError.Code)
    }

    typealias Computation = @Sendable () throws(SealError) -> String

    let name: String
    let expected: Outcome
    private let compute: Computation

    /// A computation with this text as its result.
    init(_ name: String, _ text: String, _ compute: @escaping Computation) {
        self.name = name
        expected = .text(text)
        self.compute = compute
    }

    /// A computation that fails with this code.
    init(_ name: String, _ code: SealError.Code, _ compute: @escaping Computation) {
        self.name = name
        expected = .failure(code)
        self.compute = compute
    }

    /// A condition that holds.
    init(_ name: String, _ condition: @escaping @Sendable () throws(SealError) -> Bool) {
        self.init(name, "true") { () throws(SealError) in try condition() ? "true" : "false" }
    }

    /// Runs the computation and returns its result.
    func run() -> Outcome {
        do throws(SealError) { return .text(try compute()) } catch { return .failure(error.code) }
    }

    /// All vectors.
    static var all: [SealVector] {
        hashes + derivations + ciphers + agreements + signatures + certificates + others + pages
    }

    private static var others: [SealVector] {
        [
            SealVector("random bytes are drawn up to the last") { () throws(SealError) in
                let bytes = try SecretBytes.random(count: 600).exposed()
                return [bytes[..<200], bytes[200..<400], bytes[400...]].allSatisfy { Set($0).count > 50 }
            },
            SealVector("two random secrets differ") { () throws(SealError) in
                try SecretBytes.random(count: 32) != SecretBytes.random(count: 32)
            },
            SealVector("secrets are equal if all bytes are") { () throws(SealError) in
                let secret = SecretBytes(Array(0..<32))
                let others = (0..<32).map { place in
                    SecretBytes((0..<32).map { $0 == place ? UInt8($0) ^ 0x80 : UInt8($0) })
                }
                return secret == SecretBytes(Array(0..<32)) && others.allSatisfy { $0 != secret }
                    && secret != SecretBytes(Array(0..<31)) && SecretBytes([]) == SecretBytes([])
            },
        ]
    }
}

/// Returns the bytes of a vector.
///
/// - Throws: `SealError.Code.file` if the text isn't hexadecimal. No vector expects this error.
func octets(_ text: String) throws(SealError) -> [UInt8] {
    guard let bytes = bytes(hexadecimal: text) else {
        throw SealError(.file, "a vector is not hexadecimal")
    }
    return bytes
}
