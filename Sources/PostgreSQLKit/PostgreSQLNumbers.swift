/// Numbers in one value, `bigint[]`.
package struct PostgreSQLNumbers: Hashable, Sendable {
    /// In order.
    package var values: [Int64]

    /// These numbers.
    package init(_ values: some Sequence<Int64>) { self.values = Array(values) }
}

extension PostgreSQLNumbers: PostgreSQLValue {
    /// `bigint[]`.
    package static var postgreSQLType: UInt32 { 1016 }

    /// An array's.
    package var postgreSQLBytes: [UInt8]? { array(of: values) }

    /// Of one dimension; none where it is NULL, or something else.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        values = []
        guard let bytes, bytes.count >= 20 else { return }
        var rest = bytes[20...]
        while rest.count >= 12 {
            values.append(
                Int64(postgreSQLBytes: UnsafeRawBufferPointer(rebasing: rest.dropFirst(4).prefix(8))))
            rest = rest.dropFirst(12)
        }
    }
}

/// Byte strings in one value, `bytea[]`: to be sent, and not to be read.
package struct PostgreSQLByteStrings: Hashable, Sendable {
    /// In order.
    package var values: [[UInt8]]

    /// These byte strings.
    package init(_ values: [[UInt8]]) { self.values = values }
}

extension PostgreSQLByteStrings: PostgreSQLValue {
    /// `bytea[]`.
    package static var postgreSQLType: UInt32 { 1001 }

    /// An array's.
    package var postgreSQLBytes: [UInt8]? { array(of: values) }

    /// None: no statement gives any.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) { values = [] }
}

/// The bytes of an array of one dimension: how many dimensions there are, whether NULL is among them, of which type they are;
/// how many, and from which index on; then each with its length.
private func array<Value: PostgreSQLValue>(of values: [Value]) -> [UInt8] {
    func bytes(_ number: Int32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
    let type = bytes(Int32(bitPattern: Value.postgreSQLType))
    guard !values.isEmpty else { return bytes(0) + bytes(0) + type }
    var array = bytes(1) + bytes(0) + type + bytes(Int32(clamping: values.count)) + bytes(1)
    for value in values {
        let value = value.postgreSQLBytes ?? []
        array += bytes(Int32(clamping: value.count))
        array += value
    }
    return array
}
