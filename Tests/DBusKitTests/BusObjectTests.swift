import Testing

@testable import DBusKit

@Suite("Exported objects")
struct BusObjectTests {
    /// An object with a method, a property to read and one to write.
    final class Lamp: BusObject {
        var isOn = false
        let interfaces = [
            BusInterface(
                "org.example.Lamp", methods: [.init("Add", ["i", "i"], returns: ["i"])],
                signals: [.init("Broke", ["s"])],
                properties: [.init("IsOn", "b", isWritable: true), .init("Name", "s")])
        ]

        func answer(_ member: String, of interface: String, _ arguments: [BusValue], from sender: String)
            throws(BusRefusal) -> [BusValue]
        {
            [.int32(Int32(clamping: arguments.compactMap(\.integer).reduce(0, +)))]
        }

        func value(of property: String, in interface: String) -> BusValue? {
            property == "IsOn" ? .bool(isOn) : .string("lamp")
        }

        func set(_ property: String, in interface: String, to value: BusValue, from sender: String)
            throws(BusRefusal)
        {
            isOn = value.isTrue ?? false
        }
    }

    private let lamp = Lamp()

    private func answer(
        _ interface: String, _ member: String, _ arguments: [BusValue], at path: String = "/lamps/1"
    )
        throws -> [BusValue]
    {
        var objects = ExportedObjects()
        objects["/lamps/1"] = lamp
        return try objects.answer(
            BusCall(to: "", at: path, interface, member, arguments), from: ":1.7")
    }

    private func refusal(
        _ interface: String, _ member: String, _ arguments: [BusValue], at path: String = "/lamps/1"
    ) -> String? {
        do {
            _ = try answer(interface, member, arguments, at: path)
            return nil
        } catch { return (error as? BusRefusal)?.name.split(separator: ".").last.map(String.init) }
    }

    @Test("a declared method is called with the declared types only")
    func methods() throws {
        #expect(try answer("org.example.Lamp", "Add", [.int32(2), .int32(3)]) == [.int32(5)])
        #expect(try answer("", "Add", [.int32(2), .int32(3)]) == [.int32(5)])
        #expect(refusal("org.example.Lamp", "Add", [.int32(2)]) == "InvalidArgs")
        #expect(refusal("org.example.Lamp", "Add", [.int32(2), .string("3")]) == "InvalidArgs")
        #expect(refusal("org.example.Lamp", "Remove", []) == "UnknownMethod")
        #expect(refusal("org.example.Other", "Add", [.int32(2), .int32(3)]) == "UnknownMethod")
        #expect(refusal("org.example.Lamp", "Add", [], at: "/other") == "UnknownObject")
    }

    @Test("properties are read, and written only if they may be")
    func properties() throws {
        let (name, lampName) = (BusNames.properties, BusValue.string("org.example.Lamp"))
        #expect(try answer(name, "Get", [lampName, .string("IsOn")]) == [.variant(.bool(false))])
        #expect(try answer(name, "Set", [lampName, .string("IsOn"), .variant(.bool(true))]) == [])
        #expect(
            try answer(name, "GetAll", [lampName])
                == [.dictionary(["IsOn": .bool(true), "Name": .string("lamp")])])
        #expect(
            refusal(name, "Set", [lampName, .string("Name"), .variant(.string("sun"))]) == "PropertyReadOnly")
        #expect(refusal(name, "Set", [lampName, .string("IsOn"), .variant(.string("yes"))]) == "InvalidArgs")
        #expect(refusal(name, "Get", [lampName, .string("Size")]) == "UnknownProperty")
        #expect(refusal(name, "Get", [.string("org.example.Other"), .string("IsOn")]) == "UnknownInterface")
        #expect(refusal(name, "Get", []) == "UnknownInterface")
    }

    @Test("introspection describes objects and the paths above them")
    func introspection() throws {
        let own = try #require(answer(BusNames.introspectable, "Introspect", []).first?.text)
        #expect(own.contains("<interface name=\"org.example.Lamp\"><method name=\"Add\">"))
        #expect(own.contains("<property name=\"IsOn\" type=\"b\" access=\"readwrite\"/>"))
        let root = try #require(answer(BusNames.introspectable, "Introspect", [], at: "/").first?.text)
        #expect(root.contains("<node name=\"lamps\"/>") && !root.contains("org.example.Lamp"))
        #expect(refusal(BusNames.introspectable, "Introspect", [], at: "/other") == "UnknownObject")
    }
}
