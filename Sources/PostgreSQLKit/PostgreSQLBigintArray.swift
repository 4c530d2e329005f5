/// Integers as one value, `bigint[]`.
package struct PostgreSQLBigintArray: Hashable, Sendable {
    /// The integers, in order.
    package var values: [Int64]

    /// The value of these integers.
    package init(_ values: some Sequence<Int64>) { self.values = Array(values) }
}

extension PostgreSQLBigintArray: PostgreSQLValue {
    /// `bigint[]`.
    package static var postgreSQLType: UInt32 { 1016 }

    /// The bytes of an array.
    package var postgreSQLBytes: [UInt8]? { array(of: values) }

    /// The integers of an array of one dimension without NULLs; none if the column is NULL or has any other
    /// array.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        values = []
        guard let bytes, bytes.count >= 20 else { return }
        // The header has 20 bytes. Then each element has 4 bytes for its length, and 8 for its value.
        var rest = bytes[20...]
        while rest.count >= 12 {
            values.append(
                Int64(postgreSQLBytes: UnsafeRawBufferPointer(rebasing: rest.dropFirst(4).prefix(8))))
            rest = rest.dropFirst(12)
        }
        if !array(of: values).elementsEqual(bytes) { values = [] }
    }
}

/// Byte strings as one value, `bytea[]`. They can be sent, not read.
package struct PostgreSQLByteaArray: Hashable, Sendable {
    /// The byte strings, in order.
    package var values: [[UInt8]]

    /// The value of these byte strings.
    package init(_ values: [[UInt8]]) { self.values = values }
}

extension PostgreSQLByteaArray: PostgreSQLValue {
    /// `bytea[]`.
    package static var postgreSQLType: UInt32 { 1001 }

    /// The bytes of an array.
    package var postgreSQLBytes: [UInt8]? { array(of: values) }

    /// No byte strings, because no statement returns any.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) { values = [] }
}

/// Returns the binary form of an array of one dimension. It starts with the number of dimensions, whether it
/// has NULLs, the type, the number of elements and the first index. Then each element follows its length.
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
