package import Testing

/// What a call that changes something gives: `#expect` can't make such a call itself.
package func expect<Value: Equatable>(
    _ value: Value, is expected: Value, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, comment, sourceLocation: sourceLocation)
}
