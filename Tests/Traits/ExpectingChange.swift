package import Testing

/// Expects that `value` equals `expected`. It is for a mutating call, which `#expect` can't contain.
package func expect<Value: Equatable>(
    _ value: Value, is expected: Value, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, comment, sourceLocation: sourceLocation)
}
