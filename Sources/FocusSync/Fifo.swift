/// A queue that is taken from at its front, in constant time on average, however long it is.
package struct Fifo<Element> {
    private var elements: [Element?] = []
    /// Where the front is in `elements`.
    private var start = 0
    /// How many elements were moved to another place, for tests.
    private(set) var moved = 0

    /// An empty queue.
    package init() {}

    /// Whether there is nothing to take.
    package var isEmpty: Bool { start == elements.count }

    /// How many elements there are.
    package var count: Int { elements.count - start }

    /// The element at the front, which stays.
    package var first: Element? { start < elements.count ? elements[start] : nil }

    /// Puts an element at the back, in constant time on average.
    package mutating func append(_ element: Element) { elements.append(element) }

    /// Puts another element in the place of the one at the front; where there is none, nothing happens.
    package mutating func replaceFirst(with element: Element) {
        if start < elements.count { elements[start] = element }
    }

    /// Takes the element at the front; nil where there is none.
    package mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let first = elements[start]
        elements[start] = nil
        start += 1
        // As many are moved as were taken since the last time.
        if start * 2 >= elements.count {
            elements.removeFirst(start)
            moved += elements.count
            start = 0
        }
        return first
    }
}

extension Fifo: Sendable where Element: Sendable {}
