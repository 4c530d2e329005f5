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
///
/// Other modules have it compiled for their keys, as `Fifo`: a server goes through all of its connections every second.
public struct OrderedKeys<Key: Hashable> {
    /// Nil where a key was taken out. The last one is never nil.
    @usableFromInline var slots: [Key?] = []
    @usableFromInline var places: [Key: Int] = [:]
    /// How many slots at the front are empty.
    @usableFromInline var start = 0

    /// No keys yet.
    @inlinable public init() {}

    /// Whether there are no keys.
    @inlinable public var isEmpty: Bool { places.isEmpty }

    /// How many keys there are.
    @inlinable public var count: Int { places.count }

    /// The key that has been there longest.
    @inlinable public var first: Key? { start < slots.count ? slots[start] : nil }

    /// The key that came last.
    @inlinable public var last: Key? { slots.last ?? nil }

    /// Whether the key has come and was not taken out since, in constant time on average.
    @inlinable public func contains(_ key: Key) -> Bool { places[key] != nil }

    /// All keys, in order.
    @inlinable public var all: [Key] { slots.compactMap { $0 } }

    /// The keys that have been there longest, at most so many.
    @inlinable public func prefix(_ count: Int) -> [Key] {
        isEmpty ? [] : Array(slots[start...].lazy.compactMap { $0 }.prefix(count))
    }

    /// Adds a key at the end; one that is there stays where it is.
    @inlinable public mutating func append(_ key: Key) {
        guard places[key] == nil else { return }
        places[key] = slots.count
        slots.append(key)
    }

    /// Takes a key out.
    @inlinable public mutating func remove(_ key: Key) {
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
