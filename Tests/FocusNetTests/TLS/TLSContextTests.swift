import FocusNet
import Testing

@Suite("TLS contexts")
struct TLSContextTests {
    @Test("a context knows the hash of its own key, however often it is made from the same identity")
    func ownKey() throws {
        let identity = try makeIdentity()
        let first = try TLSContext(identity: identity, applicationProtocol: "test/1")
        let second = try TLSContext(identity: identity, applicationProtocol: "test/1")
        #expect(first.keyHash == second.keyHash)
        #expect(first.keyHash != (try makeContext().keyHash))
    }

    @Test("a certificate or key that can't be read, or doesn't fit the other, is refused")
    func badCredentials() throws {
        let identity = try makeIdentity()
        let other = try makeIdentity()
        let bad = [
            TLSIdentity(certificate: [], privateKey: identity.privateKey),
            TLSIdentity(certificate: identity.certificate, privateKey: [1, 2, 3]),
            TLSIdentity(certificate: identity.certificate, privateKey: other.privateKey),
        ]
        for identity in bad {
            #expect(
                failure { try TLSContext(identity: identity, applicationProtocol: "test/1") } == .credentials)
        }
    }

    @Test(
        "an application protocol needs a name that fits", arguments: ["", String(repeating: "x", count: 256)])
    func badProtocol(name: String) throws {
        let identity = try makeIdentity()
        #expect(failure { try TLSContext(identity: identity, applicationProtocol: name) } == .system)
    }

    @Test("a key's hash has 32 bytes")
    func hashLength() {
        #expect(KeyHash([UInt8](repeating: 7, count: 32))?.bytes == [UInt8](repeating: 7, count: 32))
        #expect(KeyHash([UInt8](repeating: 7, count: 31)) == nil)
        #expect(KeyHash([UInt8](repeating: 7, count: 33)) == nil)
    }
}
