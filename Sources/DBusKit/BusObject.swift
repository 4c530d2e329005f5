/// An object that answers calls of others on the bus. They are untrusted: arguments have only the declared
/// types.
package protocol BusObject: AnyObject {
    /// The interfaces that it has.
    var interfaces: [BusInterface] { get }
    /// Carries out a call of a declared method and returns the answer. Called only with arguments of the
    /// declared types.
    func answer(_ member: String, of interface: String, _ arguments: [BusValue], from sender: String)
        throws(BusRefusal) -> [BusValue]
    /// Returns the value of a declared property; nil if it has none at present.
    func value(of property: String, in interface: String) -> BusValue?
    /// Changes a declared property that may be written, to a value of the declared type.
    func set(_ property: String, in interface: String, to value: BusValue, from sender: String)
        throws(BusRefusal)
}

extension BusObject {
    /// Refuses: most objects have no property that may be written.
    package func set(_ property: String, in interface: String, to value: BusValue, from sender: String)
        throws(BusRefusal)
    {
        throw BusRefusal("org.freedesktop.DBus.Error.PropertyReadOnly", "\(property) is read-only")
    }
}

/// An error as the answer to a call.
package struct BusRefusal: Error, Hashable, Sendable {
    /// The error's name, such as `org.freedesktop.DBus.Error.Failed`.
    package let name: String
    /// The error for people.
    package let message: String

    /// An error with this name.
    package init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    static func standard(_ name: String, _ message: String) -> BusRefusal {
        BusRefusal("org.freedesktop.DBus.Error.\(name)", message)
    }
}

/// A declared interface of an exported object. Types are signatures of D-Bus, such as `a{sv}`.
package struct BusInterface: Hashable, Sendable {
    /// A method or a signal.
    package struct Member: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// The types of its arguments, one for each.
        package let arguments: [String]
        /// The types of a method's answer, one for each.
        package let results: [String]

        /// A method or a signal.
        package init(_ name: String, _ arguments: [String] = [], returns results: [String] = []) {
            self.name = name
            self.arguments = arguments
            self.results = results
        }
    }

    /// A property.
    package struct Property: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// Its type.
        package let signature: String
        /// Whether others may write it.
        package let isWritable: Bool

        /// A property, read-only by default.
        package init(_ name: String, _ signature: String, isWritable: Bool = false) {
            self.name = name
            self.signature = signature
            self.isWritable = isWritable
        }
    }

    /// The interface's name.
    package let name: String
    /// Its methods.
    package let methods: [Member]
    /// Its signals.
    package let signals: [Member]
    /// Its properties.
    package let properties: [Property]

    /// An interface.
    package init(
        _ name: String, methods: [Member] = [], signals: [Member] = [], properties: [Property] = []
    ) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
    }
}

// MARK: - Calls of others

/// The objects of a process, by their paths, and the answers to calls of them.
struct ExportedObjects {
    private var objects: [String: any BusObject] = [:]

    subscript(path: String) -> (any BusObject)? {
        get { objects[path] }
        set { objects[path] = newValue }
    }

    var isEmpty: Bool { objects.isEmpty }

    /// Answers a call. An empty interface stands for any (D-Bus specification, "Message Types").
    func answer(_ call: BusCall, from sender: String) throws(BusRefusal) -> [BusValue] {
        switch (call.interface, call.member) {
        case (BusNames.peer, "Ping"), ("", "Ping"): return []
        case (BusNames.introspectable, "Introspect"), ("", "Introspect"):
            return [.string(try description(of: call.path))]
        default: break
        }
        guard let object = objects[call.path] else {
            throw .standard("UnknownObject", "There is no object at \(call.path)")
        }
        if call.interface == BusNames.properties { return try property(call, of: object, from: sender) }
        let interface = object.interfaces.first { interface in
            (call.interface.isEmpty || interface.name == call.interface)
                && interface.methods.contains { $0.name == call.member }
        }
        guard let interface, let method = interface.methods.first(where: { $0.name == call.member }) else {
            throw .standard("UnknownMethod", "\(call.interface) has no method \(call.member)")
        }
        guard call.arguments.map(\.signature) == method.arguments else {
            throw .standard("InvalidArgs", "\(call.member) takes (\(method.arguments.joined()))")
        }
        return try object.answer(call.member, of: interface.name, call.arguments, from: sender)
    }

    private func property(_ call: BusCall, of object: any BusObject, from sender: String)
        throws(BusRefusal) -> [BusValue]
    {
        guard let name = call.arguments.first?.text,
            let interface = object.interfaces.first(where: { $0.name == name })
        else { throw .standard("UnknownInterface", "The object has no such interface") }
        if call.member == "GetAll" {
            let values = interface.properties.compactMap { property in
                object.value(of: property.name, in: name).map { (property.name, $0) }
            }
            return [.dictionary(Dictionary(values) { first, _ in first })]
        }
        let count = call.member == "Get" ? 2 : call.member == "Set" ? 3 : 0
        guard count > 0 else { throw .standard("UnknownMethod", "There is no method \(call.member)") }
        guard call.arguments.count == count, let wanted = call.arguments[1].text else {
            throw .standard("InvalidArgs", "\(call.member) takes \(count) arguments")
        }
        guard let property = interface.properties.first(where: { $0.name == wanted }) else {
            throw .standard("UnknownProperty", "\(name) has no property \(wanted)")
        }
        guard count == 3 else {
            guard let value = object.value(of: wanted, in: name) else {
                throw .standard("Failed", "\(wanted) has no value")
            }
            return [.variant(value)]
        }
        guard property.isWritable else { throw .standard("PropertyReadOnly", "\(wanted) is read-only") }
        guard case .variant(let value) = call.arguments[2], value.signature == property.signature else {
            throw .standard("InvalidArgs", "\(wanted) has the type \(property.signature)")
        }
        try object.set(wanted, in: name, to: value, from: sender)
        return []
    }

    // MARK: - Introspection

    /// Returns the description of the object at `path` and of the paths below it, as XML.
    private func description(of path: String) throws(BusRefusal) -> String {
        let prefix = path == "/" ? "/" : "\(path)/"
        let below = objects.keys.filter { $0.hasPrefix(prefix) && $0 != path }
        let children = Set(below.map { $0.dropFirst(prefix.count).prefix { $0 != "/" } }).sorted()
        guard objects[path] != nil || !children.isEmpty else {
            throw .standard("UnknownObject", "There is no object at \(path)")
        }
        let own = objects[path]?.interfaces ?? []
        let all = own.isEmpty ? ExportedObjects.common : ExportedObjects.common + [ExportedObjects.properties]
        let interfaces = (all + own).map(ExportedObjects.description).joined()
        let nodes = children.map { "<node name=\"\($0)\"/>" }.joined()
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>\(interfaces)\(nodes)</node>
            """
    }

    private static let common = [
        BusInterface(BusNames.introspectable, methods: [.init("Introspect", returns: ["s"])]),
        BusInterface(BusNames.peer, methods: [.init("Ping")]),
    ]

    private static let properties = BusInterface(
        BusNames.properties,
        methods: [
            .init("Get", ["s", "s"], returns: ["v"]), .init("GetAll", ["s"], returns: ["a{sv}"]),
            .init("Set", ["s", "s", "v"]),
        ],
        signals: [.init("PropertiesChanged", ["s", "a{sv}", "as"])])

    /// The names are the program's own, so nothing in them has to be escaped.
    private static func description(_ interface: BusInterface) -> String {
        let methods = interface.methods.map { method in
            let arguments =
                method.arguments.map { "<arg direction=\"in\" type=\"\($0)\"/>" }
                + method.results.map { "<arg direction=\"out\" type=\"\($0)\"/>" }
            return "<method name=\"\(method.name)\">\(arguments.joined())</method>"
        }
        let signals = interface.signals.map { signal in
            let arguments = signal.arguments.map { "<arg type=\"\($0)\"/>" }
            return "<signal name=\"\(signal.name)\">\(arguments.joined())</signal>"
        }
        let properties = interface.properties.map { property in
            let access = property.isWritable ? "readwrite" : "read"
            return "<property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\"/>"
        }
        let members = (methods + signals + properties).joined()
        return "<interface name=\"\(interface.name)\">\(members)</interface>"
    }
}
