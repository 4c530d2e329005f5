import CDBus
import SystemKit

/// A message of libdbus, which it frees at its end.
final class BusMessage {
    /// The kinds of messages (D-Bus specification, "Message Types").
    enum Kind: Int32 {
        case call = 1
        case answer = 2
        case error = 3
        case signal = 4
    }

    let dbus: lockstep_dbus
    /// The library's message.
    let pointer: OpaquePointer

    /// Takes over a message.
    init?(_ dbus: lockstep_dbus, _ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.dbus = dbus
        self.pointer = pointer
    }

    deinit { dbus.dbus_message_unref(pointer) }

    // libdbus ends the process if a name isn't valid, so each is checked before.

    /// A call of a method; nil if it isn't valid, or above a limit.
    convenience init?(_ dbus: lockstep_dbus, _ call: BusCall) {
        guard BusMessage.isValid(call.destination, dbus.dbus_validate_bus_name),
            BusMessage.isValid(call.path, dbus.dbus_validate_path),
            BusMessage.isValid(call.interface, dbus.dbus_validate_interface),
            BusMessage.isValid(call.member, dbus.dbus_validate_member)
        else { return nil }
        self.init(
            dbus,
            dbus.dbus_message_new_method_call(call.destination, call.path, call.interface, call.member))
        guard append(call.arguments) else { return nil }
    }

    /// A signal; nil if it isn't valid, or above a limit.
    convenience init?(_ dbus: lockstep_dbus, _ signal: BusSignal) {
        guard BusMessage.isValid(signal.path, dbus.dbus_validate_path),
            BusMessage.isValid(signal.interface, dbus.dbus_validate_interface),
            BusMessage.isValid(signal.member, dbus.dbus_validate_member)
        else { return nil }
        self.init(dbus, dbus.dbus_message_new_signal(signal.path, signal.interface, signal.member))
        guard append(signal.arguments) else { return nil }
    }

    /// An answer to a call; nil if it isn't valid, or above a limit.
    convenience init?(
        _ dbus: lockstep_dbus, answering serial: UInt32, to caller: String, _ values: [BusValue]
    ) {
        guard serial != 0, BusMessage.isValid(caller, dbus.dbus_validate_bus_name) else { return nil }
        self.init(dbus, dbus.dbus_message_new(Kind.answer.rawValue))
        guard address(serial, caller), append(values) else { return nil }
    }

    /// An error as the answer to a call; nil if it isn't valid.
    convenience init?(
        _ dbus: lockstep_dbus, answering serial: UInt32, to caller: String, _ refusal: BusRefusal
    ) {
        guard serial != 0, BusMessage.isValid(caller, dbus.dbus_validate_bus_name),
            BusMessage.isValid(refusal.name, dbus.dbus_validate_error_name)
        else { return nil }
        self.init(dbus, dbus.dbus_message_new(Kind.error.rawValue))
        guard address(serial, caller), dbus.dbus_message_set_error_name(pointer, refusal.name) != 0,
            append([.string(refusal.message)])
        else { return nil }
    }

    private func address(_ serial: UInt32, _ caller: String) -> Bool {
        dbus.dbus_message_set_no_reply(pointer, 1)
        return dbus.dbus_message_set_reply_serial(pointer, serial) != 0
            && dbus.dbus_message_set_destination(pointer, caller) != 0
    }

    private static func isValid(
        _ name: String, _ validate: (UnsafePointer<CChar>, OpaquePointer?) -> UInt32
    ) -> Bool { !name.utf8.contains(0) && validate(name, nil) != 0 }

    // MARK: - Parts

    var kind: Kind? { Kind(rawValue: dbus.dbus_message_get_type(pointer)) }
    var serial: UInt32 { dbus.dbus_message_get_serial(pointer) }
    /// The serial number of the call that this message answers.
    var answeredSerial: UInt32 { dbus.dbus_message_get_reply_serial(pointer) }
    var wantsAnswer: Bool { dbus.dbus_message_get_no_reply(pointer) == 0 }
    var sender: String { BusMessage.text(dbus.dbus_message_get_sender(pointer)) }
    var path: String { BusMessage.text(dbus.dbus_message_get_path(pointer)) }
    var interface: String { BusMessage.text(dbus.dbus_message_get_interface(pointer)) }
    var member: String { BusMessage.text(dbus.dbus_message_get_member(pointer)) }
    var errorName: String { BusMessage.text(dbus.dbus_message_get_error_name(pointer)) }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        text.map { String(cString: $0) } ?? ""
    }

    // MARK: - Sending

    private func append(_ values: [BusValue]) -> Bool {
        let types = values.map(\.signature).joined()
        guard isType(types) else { return false }
        var iterator = DBusMessageIter()
        dbus.dbus_message_iter_init_append(pointer, &iterator)
        var budget = BusLimits.message
        return values.allSatisfy { append($0, &iterator, 0, &budget) }
    }

    private func isType(_ types: String) -> Bool {
        types.utf8.count < 256 && dbus.dbus_signature_validate(types, nil) != 0
    }

    /// Appends a value; false if it isn't valid, or above a limit. The message is then incomplete.
    private func append(
        _ value: BusValue, _ iterator: inout DBusMessageIter, _ depth: Int, _ budget: inout Int
    ) -> Bool {
        budget -= 8
        guard budget > 0, depth < BusLimits.depth else { return false }
        switch value {
        case .bool(let value): return append(UInt32(value ? 1 : 0), "b", &iterator)
        case .byte(let value): return append(value, "y", &iterator)
        case .int16(let value): return append(value, "n", &iterator)
        case .uint16(let value): return append(value, "q", &iterator)
        case .int32(let value): return append(value, "i", &iterator)
        case .uint32(let value): return append(value, "u", &iterator)
        case .int64(let value): return append(value, "x", &iterator)
        case .uint64(let value): return append(value, "t", &iterator)
        case .double(let value): return append(value, "d", &iterator)
        case .string(let text): return append(text, "s", &iterator, &budget)
        case .path(let path):
            guard BusMessage.isValid(path, dbus.dbus_validate_path) else { return false }
            return append(path, "o", &iterator, &budget)
        case .type(let type): return isType(type) && append(type, "g", &iterator, &budget)
        case .bytes(let bytes):
            budget -= bytes.count
            guard budget > 0 else { return false }
            return inside("a", "y", &iterator) { inner in
                bytes.withUnsafeBufferPointer { buffer in
                    guard var start = buffer.baseAddress else { return true }
                    return dbus.dbus_message_iter_append_fixed_array(
                        &inner, BusMessage.code("y"), &start, Int32(clamping: buffer.count)) != 0
                }
            }
        case .array(let values, let element):
            let isOfEntries = element.hasPrefix("{")
            guard isType("a\(element)"),
                values.allSatisfy({ BusMessage.element($0, isEntry: isOfEntries) == element })
            else { return false }
            return inside("a", element, &iterator) { inner in
                values.allSatisfy { value in
                    guard isOfEntries, case .structure(let pair) = value else {
                        return append(value, &inner, depth + 1, &budget)
                    }
                    return inside("e", nil, &inner) { entry in
                        pair.allSatisfy { append($0, &entry, depth + 2, &budget) }
                    }
                }
            }
        case .dictionary(let entries):
            return inside("a", "{sv}", &iterator) { inner in
                entries.sorted { $0.key < $1.key }.allSatisfy { name, value in
                    inside("e", nil, &inner) { entry in
                        append(name, "s", &entry, &budget)
                            && append(.variant(value), &entry, depth + 2, &budget)
                    }
                }
            }
        case .structure(let values):
            guard !values.isEmpty else { return false }
            return inside("r", nil, &iterator) { inner in
                values.allSatisfy { append($0, &inner, depth + 1, &budget) }
            }
        case .variant(let value):
            let type = value.signature
            guard isType(type) else { return false }
            return inside("v", type, &iterator) { inner in append(value, &inner, depth + 1, &budget) }
        }
    }

    /// The type of an array's element.
    private static func element(_ value: BusValue, isEntry: Bool) -> String? {
        guard isEntry else { return value.signature }
        guard case .structure(let pair) = value, pair.count == 2 else { return nil }
        return "{\(pair[0].signature)\(pair[1].signature)}"
    }

    private func append<Value: BitwiseCopyable>(
        _ value: Value, _ type: Unicode.Scalar, _ iterator: inout DBusMessageIter
    ) -> Bool {
        withUnsafeBytes(of: value) { bytes in
            guard let start = bytes.baseAddress else { return false }
            return dbus.dbus_message_iter_append_basic(&iterator, BusMessage.code(type), start) != 0
        }
    }

    private func append(
        _ text: String, _ type: Unicode.Scalar, _ iterator: inout DBusMessageIter, _ budget: inout Int
    ) -> Bool {
        budget -= text.utf8.count
        guard budget > 0 else { return false }
        return text.withCString { text in
            var text = text
            return dbus.dbus_message_iter_append_basic(&iterator, BusMessage.code(type), &text) != 0
        }
    }

    /// Appends a container with the values that `body` appends.
    private func inside(
        _ kind: Unicode.Scalar, _ type: String?, _ iterator: inout DBusMessageIter,
        _ body: (inout DBusMessageIter) -> Bool
    ) -> Bool {
        var inner = DBusMessageIter()
        guard dbus.dbus_message_iter_open_container(&iterator, BusMessage.code(kind), type, &inner) != 0
        else { return false }
        guard body(&inner) else {
            dbus.dbus_message_iter_abandon_container(&iterator, &inner)
            return false
        }
        return dbus.dbus_message_iter_close_container(&iterator, &inner) != 0
    }

    private static func code(_ type: Unicode.Scalar) -> Int32 { Int32(type.value) }
}
