/// A queue that is taken from at its front, in constant time on average, however long it is.
///
/// Other modules have it compiled for their elements: what they queue goes through it at every step, and through the code
/// for any element it takes ten times as long. So it is public, and nothing of it private, though nobody else has to do with it.
public struct Fifo<Element> {
    @usableFromInline var elements: [Element?] = []
    /// Where the front is in `elements`.
    @usableFromInline var start = 0
    /// How many elements were moved to another place, for tests.
    @usableFromInline var moved = 0

    /// An empty queue.
    @inlinable public init() {}

    /// Whether there is nothing to take.
    @inlinable public var isEmpty: Bool { start == elements.count }

    /// How many elements there are.
    @inlinable public var count: Int { elements.count - start }

    /// The element at the front, which stays.
    @inlinable public var first: Element? { start < elements.count ? elements[start] : nil }

    /// Puts an element at the back, in constant time on average.
    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    /// Puts another element in the place of the one at the front; where there is none, nothing happens.
    @inlinable public mutating func replaceFirst(with element: Element) {
        if start < elements.count { elements[start] = element }
    }

    /// Takes the element at the front; nil where there is none.
    @inlinable public mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let first = elements[start]
        elements[start] = nil
        start += 1
        // As many are moved as were taken since the last time.
        if start == elements.count {
            elements.removeAll(keepingCapacity: true)
            start = 0
        } else if start * 2 >= elements.count {
            elements.removeFirst(start)
            moved += elements.count
            start = 0
        }
        return first
    }
}

extension Fifo: Sendable where Element: Sendable {}

/// Keys in the order in which they came, each once. Both ends can be looked at, and any key taken out, in constant time
/// on average, however many there are.
package struct OrderedKeys<Key: Hashable> {
    /// Nil where a key was taken out. The last one is never nil.
    private var slots: [Key?] = []
    private var places: [Key: Int] = [:]
    /// How many slots at the front are empty.
    private var start = 0

    /// No keys yet.
    package init() {}

    /// Whether there are no keys.
    package var isEmpty: Bool { places.isEmpty }

    /// How many keys there are.
    package var count: Int { places.count }

    /// The key that has been there longest.
    package var first: Key? { start < slots.count ? slots[start] : nil }

    /// The key that came last.
    package var last: Key? { slots.last ?? nil }

    /// Whether the key has come and was not taken out since, in constant time on average.
    package func contains(_ key: Key) -> Bool { places[key] != nil }

    /// All keys, in order.
    package var all: [Key] { slots.compactMap { $0 } }

    /// The keys that have been there longest, at most so many.
    package func prefix(_ count: Int) -> [Key] { Array(slots[start...].lazy.compactMap { $0 }.prefix(count)) }

    /// Adds a key at the end; one that is there stays where it is.
    package mutating func append(_ key: Key) {
        guard places[key] == nil else { return }
        places[key] = slots.count
        slots.append(key)
    }

    /// Takes a key out.
    package mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        slots[place] = nil
        while let last = slots.last, last == nil { slots.removeLast() }
        start = min(start, slots.count)
        while start < slots.count, slots[start] == nil { start += 1 }
        // As many are moved as were taken out since the last time.
        guard slots.count > 2 * places.count + 8 else { return }
        slots.removeAll { $0 == nil }
        start = 0
        for (place, key) in slots.enumerated() { if let key { places[key] = place } }
    }
}

extension OrderedKeys: Sendable where Key: Sendable {}
