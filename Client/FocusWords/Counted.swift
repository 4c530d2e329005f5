/// So many of a thing, for people: "1 event", "2 events".
package func counted(_ count: some BinaryInteger, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
}
