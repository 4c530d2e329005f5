import Testing

@testable import FocusNet

@Suite("Ranges of addresses")
struct AddressRangeTests {
    @Test(
        "a range holds the addresses that begin as it does, also those that are written as IPv6",
        arguments: [
            ("10.0.0.7", [10, 0, 0, 7], true), ("10.0.0.7", [10, 0, 0, 8], false),
            ("10.0.0.0/24", [10, 0, 0, 255], true), ("10.0.0.0/24", [10, 0, 1, 0], false),
            ("10.0.0.128/25", [10, 0, 0, 127], false), ("10.0.0.128/25", [10, 0, 0, 200], true),
            ("0.0.0.0/0", [1, 2, 3, 4], true), ("::/0", [1, 2, 3, 4], false),
            ("10.0.0.7", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 7], true),
            ("::ffff:10.0.0.0/104", [10, 0, 0, 255], true), ("::ffff:10.0.0.0/104", [11, 0, 0, 0], false),
            ("::ffff:10.0.0.7", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 7], true),
            ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ("fd00::/8", [0xFD, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ("fd00::/8", [0xFC, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], false), ("10.0.0.7", [], false),
        ] as [(String, [UInt8], Bool)])
    func containing(text: String, address: [UInt8], isIn: Bool) throws {
        #expect(try #require(AddressRange(text)).contains(address) == isIn)
    }

    @Test(
        "it is written as it is read", arguments: ["10.0.0.7", "10.0.0.0/24", "0.0.0.0/0", "::1", "fd00::/8"])
    func writing(text: String) {
        #expect(AddressRange(text)?.text == text)
    }

    @Test("IPv4 addresses that are written as IPv6 are written as IPv4")
    func mapped() {
        #expect(AddressRange("::ffff:10.0.0.0/104")?.text == "10.0.0.0/8")
        #expect(AddressRange("::ffff:10.0.0.7")?.text == "10.0.0.7")
    }

    @Test(
        "what is no address or network is refused, and a network with bits behind those that are shared",
        arguments: [
            "", "/", "10.0.0", "localhost", "10.0.0.7/33", "10.0.0.7/-1", "10.0.0.7/", "10.0.0.7/24",
            "::1/129", "::ffff:0.0.0.0/95", "::ffff:10.0.0.7/129",
            "10.0.0.0/24/1", "10.0.0.0/+8", "10.0.0.7:80",
        ])
    func refusing(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test("ranges that hold every address of a version of IP are known for that, however they are written")
    func everybody() {
        func hold(_ texts: String...) -> Bool {
            AddressRange.coverAllAddresses(texts.compactMap { AddressRange($0) })
        }
        #expect(hold("0.0.0.0/0"))
        #expect(hold("::ffff:0.0.0.0/96"))
        #expect(hold("10.0.0.7", "::/0"))
        #expect(hold("0.0.0.0/1", "128.0.0.0/1"))
        #expect(!hold("10.0.0.0/8", "192.168.0.0/16", "fd00::/8"))
        #expect(!hold("0.0.0.0/1", "8000::/1"))
        #expect(!hold())
    }
}
