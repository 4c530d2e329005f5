/// The text with spaces behind it, as wide as a column of so many characters.
package func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
