package import SystemKit

/// A connection to a message bus (D-Bus). Everything is on one event loop's thread.
///
/// Subscriptions, exported objects and names belong to the bus and not to one connection: after the bus was
/// lost, they are registered again with the next connection.
package protocol MessageBus: AnyObject {
    /// The name of the present connection, such as `:1.42`; nil if there is none.
    var uniqueName: String? { get }
    /// Calls a method. `done` is called once, never before this function returns.
    func call(
        _ call: BusCall, within limit: Duration, _ done: @escaping (Result<[BusValue], BusError>) -> Void)
    /// Calls `body` for each signal that matches, until the subscription is cancelled.
    func subscribe(_ match: BusMatch, _ body: @escaping (BusSignal) -> Void) -> BusSubscription
    /// Calls `body` with the owner of a name, and again when it changes; nil if the name has none, or the bus
    /// is lost.
    func followOwner(of name: String, _ body: @escaping (String?) -> Void) -> BusSubscription
    /// Requests a name, without waiting in the queue for it. Calls `body` with the result for each connection.
    func own(_ name: String, _ body: @escaping (Bool) -> Void)
    /// Answers calls to the object at `path`, in place of an object that was there.
    func export(_ object: any BusObject, at path: String)
    /// Ends answering calls to the object at `path`.
    func removeObject(at path: String)
    /// Sends a signal; does nothing if there is no connection.
    func emit(_ signal: BusSignal)
    /// Calls `body` with true when a connection is there, and with false when it is lost.
    func followConnection(_ body: @escaping (Bool) -> Void) -> BusSubscription
}

extension MessageBus {
    /// Tells all readers of an object's properties that these changed, with their present values.
    package func emitChanges(
        of object: any BusObject, at path: String, _ properties: [String], in interface: String
    ) {
        let values = properties.compactMap { name in
            object.value(of: name, in: interface).map { (name, $0) }
        }
        let dictionary = BusValue.dictionary(Dictionary(values) { first, _ in first })
        emit(
            BusSignal(
                path: path, interface: BusNames.properties, member: "PropertiesChanged",
                arguments: [.string(interface), dictionary, .array([], of: "s")]))
    }
}

/// The names of the specification of D-Bus.
package enum BusNames {
    /// The bus itself, as a name and as an interface.
    package static let bus = "org.freedesktop.DBus"
    /// The bus as an object.
    package static let busPath = "/org/freedesktop/DBus"
    /// The interface of properties.
    package static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let peer = "org.freedesktop.DBus.Peer"
}

/// The address of a bus: sockets of this machine only, because libdbus would wait for the others, or start
/// programs.
package struct BusAddress: Hashable, Sendable {
    /// The address in the form of the specification.
    package let text: String

    /// An address; nil if no part of it is a socket of this machine.
    package init?(_ text: String) {
        let parts = text.split(separator: ";").filter { $0.hasPrefix("unix:") }
        guard !parts.isEmpty else { return nil }
        self.text = parts.joined(separator: ";")
    }

    /// The bus of the desktop's session for a process with these variables; nil if none is known.
    package static func session(_ environment: Environment) -> BusAddress? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"] { return BusAddress(address) }
        guard let socket = environment.folder("XDG_RUNTIME_DIR").map({ "\($0)/bus" }),
            access(socket, F_OK) == 0
        else { return nil }
        return BusAddress("unix:path=\(escaped(socket))")
    }

    /// The bus of the whole machine for a process with these variables.
    package static func system(_ environment: Environment) -> BusAddress? {
        BusAddress(environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket")
    }

    /// Escapes a value in an address (D-Bus specification, "Server Addresses").
    private static func escaped(_ value: String) -> String {
        let plain = Array("-_/.\\*".utf8)
        let digits = Array("0123456789abcdef".utf8)
        let bytes = value.utf8.flatMap { byte -> [UInt8] in
            let isPlain =
                plain.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
            return isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The reason that a call has no answer.
package enum BusError: Error, Hashable, Sendable {
    /// libdbus can't be opened, for this reason.
    case noLibrary(String)
    /// No address is known, or nothing answers there.
    case noBus
    /// The connection was lost before the answer came.
    case disconnected
    /// The answer didn't come in time.
    case timedOut
    /// The callee, or the bus, answered with this error.
    case refused(name: String, message: String)
    /// The call isn't valid, or it or its answer is above a limit.
    case malformed
    /// Too many calls wait, or too many bytes.
    case overflow

    /// Whether a later attempt to connect may succeed.
    var mayPass: Bool { if case .noLibrary = self { false } else { true } }

    /// Whether the callee lacks the method, so that the call would fail in the same way each time.
    package var isLasting: Bool {
        guard case .refused(let name, _) = self else { return false }
        return ["NotSupported", "UnknownInterface", "UnknownMethod", "UnknownObject"].contains {
            name == "org.freedesktop.DBus.Error.\($0)"
        }
    }
}

/// A call of a method.
package struct BusCall: Hashable, Sendable {
    /// The callee's name.
    package var destination: String
    /// The callee's object.
    package var path: String
    /// The interface with the method.
    package var interface: String
    /// The method.
    package var member: String
    /// The method's arguments.
    package var arguments: [BusValue]

    /// A call of a method.
    package init(
        to destination: String, at path: String, _ interface: String, _ member: String,
        _ arguments: [BusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// A call that reads a property. Its answer is one variant.
    package static func property(
        _ name: String, of interface: String, to destination: String, at path: String
    ) -> BusCall {
        BusCall(to: destination, at: path, BusNames.properties, "Get", [.string(interface), .string(name)])
    }
}

/// A signal that was received, or is sent.
package struct BusSignal: Hashable, Sendable {
    /// The unique name of the sender; empty in a signal that is sent.
    package var sender: String
    /// The object that emits the signal.
    package var path: String
    /// The interface with the signal.
    package var interface: String
    /// The signal's name.
    package var member: String
    /// The signal's arguments.
    package var arguments: [BusValue]

    /// A signal.
    package init(
        from sender: String = "", path: String, interface: String, member: String,
        arguments: [BusValue] = []
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// The signals that a subscription is for.
package struct BusMatch: Hashable, Sendable {
    /// The sender's name. Only signals of its present owner are delivered.
    package var sender: String
    /// The object, or nil for any.
    package var path: String?
    /// The interface with the signal.
    package var interface: String
    /// The signal's name, or nil for any.
    package var member: String?
    /// The first argument, or nil for any.
    package var argument: String?

    /// The signals of a sender's interface.
    package init(
        from sender: String, path: String? = nil, _ interface: String, _ member: String? = nil,
        argument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.argument = argument
    }

    /// The rule in the form of the specification; nil if a part can't be in a rule.
    var rule: String? {
        let parts = [
            ("sender", sender), ("path", path), ("interface", interface), ("member", member),
            ("arg0", argument),
        ]
        let texts = parts.compactMap { key, value in value.map { (key, $0) } }
        guard texts.allSatisfy({ !$0.1.contains { "'\\\0".contains($0) } }) else { return nil }
        return (["type='signal'"] + texts.map { "\($0.0)='\($0.1)'" }).joined(separator: ",")
    }

    /// Whether the signal matches, apart from its sender.
    func accepts(_ signal: BusSignal) -> Bool {
        (path.map { $0 == signal.path } ?? true) && interface == signal.interface
            && (member.map { $0 == signal.member } ?? true)
            && (argument.map { signal.arguments.first == .string($0) } ?? true)
    }
}

/// A request for calls of a closure, which ends when it is cancelled.
package final class BusSubscription {
    private var body: (() -> Void)?

    /// A subscription that `cancel` ends.
    package init(_ cancel: @escaping () -> Void) { body = cancel }

    /// Ends the calls. May be called twice.
    package func cancel() {
        body?()
        body = nil
    }
}
