import CDBus

extension BusMessage {
    /// Returns the received arguments; nil if they are above a limit, or have a type that `BusValue` lacks.
    func arguments() -> [BusValue]? {
        var reader = ArgumentReader(dbus: dbus)
        var iterator = DBusMessageIter()
        guard dbus.dbus_message_iter_init(pointer, &iterator) != 0 else { return [] }
        return reader.values(&iterator, depth: 0)
    }
}

/// Reads values up to a number of them. libdbus has checked that the message is well-formed.
private struct ArgumentReader {
    let dbus: lockstep_dbus
    private var budget = BusLimits.values

    init(dbus: lockstep_dbus) { self.dbus = dbus }

    /// Returns the values from the iterator to its end.
    mutating func values(_ iterator: inout DBusMessageIter, depth: Int) -> [BusValue]? {
        guard depth < BusLimits.depth else { return nil }
        var values: [BusValue] = []
        while dbus.dbus_message_iter_get_arg_type(&iterator) != 0 {
            budget -= 1
            guard budget > 0, let value = value(&iterator, depth) else { return nil }
            values.append(value)
            _ = dbus.dbus_message_iter_next(&iterator)
        }
        return values
    }

    private mutating func value(_ iterator: inout DBusMessageIter, _ depth: Int) -> BusValue? {
        let code = dbus.dbus_message_iter_get_arg_type(&iterator)
        guard let type = Unicode.Scalar(UInt32(clamping: code)) else { return nil }
        switch type {
        case "b": return .bool(basic(&iterator, UInt32(0)) != 0)
        case "y": return .byte(basic(&iterator, 0))
        case "n": return .int16(basic(&iterator, 0))
        case "q": return .uint16(basic(&iterator, 0))
        case "i": return .int32(basic(&iterator, 0))
        case "u": return .uint32(basic(&iterator, 0))
        case "x": return .int64(basic(&iterator, 0))
        case "t": return .uint64(basic(&iterator, 0))
        case "d": return .double(basic(&iterator, 0))
        case "s": return text(&iterator).map { .string($0) }
        case "o": return text(&iterator).map { .path($0) }
        case "g": return text(&iterator).map { .type($0) }
        case "a": return array(&iterator, depth)
        case "r", "e": return inner(&iterator, depth).map { .structure($0) }
        case "v": return inner(&iterator, depth)?.first.map { .variant($0) }
        default: return nil
        }
    }

    private mutating func array(_ iterator: inout DBusMessageIter, _ depth: Int) -> BusValue? {
        if dbus.dbus_message_iter_get_element_type(&iterator) == Int32(Unicode.Scalar("y").value) {
            return .bytes(bytes(&iterator))
        }
        guard let signature = dbus.dbus_message_iter_get_signature(&iterator) else { return nil }
        let type = String(cString: signature)
        dbus.dbus_free(signature)
        guard let values = inner(&iterator, depth) else { return nil }
        guard type == "a{sv}" else { return .array(values, of: String(type.dropFirst())) }
        let entries = values.compactMap { entry -> (String, BusValue)? in
            guard case .structure(let pair) = entry, pair.count == 2, case .string(let name) = pair[0],
                case .variant(let value) = pair[1]
            else { return nil }
            return (name, value)
        }
        return .dictionary(Dictionary(entries) { first, _ in first })
    }

    private mutating func inner(_ iterator: inout DBusMessageIter, _ depth: Int) -> [BusValue]? {
        var inner = DBusMessageIter()
        dbus.dbus_message_iter_recurse(&iterator, &inner)
        return values(&inner, depth: depth + 1)
    }

    private func bytes(_ iterator: inout DBusMessageIter) -> [UInt8] {
        var inner = DBusMessageIter()
        dbus.dbus_message_iter_recurse(&iterator, &inner)
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        dbus.dbus_message_iter_get_fixed_array(&inner, &start, &count)
        return Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(max(0, count))))
    }

    private func basic<Value: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ zero: Value) -> Value {
        var value = zero
        withUnsafeMutableBytes(of: &value) { bytes in
            guard let start = bytes.baseAddress else { return }
            dbus.dbus_message_iter_get_basic(&iterator, start)
        }
        return value
    }

    private func text(_ iterator: inout DBusMessageIter) -> String? {
        var text: UnsafePointer<CChar>?
        dbus.dbus_message_iter_get_basic(&iterator, &text)
        return text.map { String(cString: $0) }
    }
}
