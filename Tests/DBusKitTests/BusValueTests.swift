import SystemKit
import Testing

@testable import DBusKit

@Suite("Addresses, rules and values of a bus")
struct BusValueTests {
    @Test("only sockets of this machine are addresses")
    func addresses() {
        #expect(BusAddress("tcp:host=example.org,port=1;unix:path=/run/bus")?.text == "unix:path=/run/bus")
        #expect(BusAddress("unixexec:path=/bin/sh") == nil)
        #expect(BusAddress("autolaunch:") == nil)
        #expect(BusAddress("") == nil)
        let named = Environment(["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=x", "XDG_RUNTIME_DIR": "/"])
        #expect(BusAddress.session(named)?.text == "unix:abstract=x")
        #expect(BusAddress.session(Environment([:])) == nil)
        #expect(BusAddress.session(Environment(["XDG_RUNTIME_DIR": "/nowhere"])) == nil)
        #expect(BusAddress.system(Environment([:]))?.text == "unix:path=/run/dbus/system_bus_socket")
    }

    @Test("a match becomes a rule, unless a part could end it")
    func rules() {
        #expect(
            BusMatch(from: "org.example", path: "/a", "org.example.I", "Changed", argument: "b").rule
                == "type='signal',sender='org.example',path='/a',interface='org.example.I',"
                + "member='Changed',arg0='b'")
        #expect(BusMatch(from: "org.example", "org.example.I").rule?.contains("path") == false)
        #expect(BusMatch(from: "x',type='error", "org.example.I").rule == nil)
    }

    @Test("a match accepts signals of its object, interface, name and first argument")
    func matching() {
        let signal = BusSignal(path: "/a", interface: "i", member: "m", arguments: [.string("b")])
        #expect(BusMatch(from: "x", "i").accepts(signal))
        #expect(BusMatch(from: "x", path: "/a", "i", "m", argument: "b").accepts(signal))
        #expect(!BusMatch(from: "x", path: "/b", "i").accepts(signal))
        #expect(!BusMatch(from: "x", "j").accepts(signal))
        #expect(!BusMatch(from: "x", "i", "n").accepts(signal))
        #expect(!BusMatch(from: "x", "i", argument: "c").accepts(signal))
    }

    @Test("each value has its type")
    func types() {
        let pixmap = BusValue.structure([.int32(1), .int32(1), .bytes([0, 0, 0, 0])])
        #expect(BusValue.array([pixmap], of: pixmap.signature).signature == "a(iiay)")
        #expect(
            BusValue.structure([.string("a"), .dictionary([:]), .variant(.bool(true))]).signature
                == "(sa{sv}v)")
        #expect(BusValue.array([], of: "{ss}").signature == "a{ss}")
        #expect(BusValue.variant(.variant(.uint64(.max))).integer == nil)
        #expect(BusValue.variant(.byte(7)).integer == 7)
        #expect(BusValue.strings(["a", "b"]).elements?.map(\.text) == ["a", "b"])
    }
}
