/// A first-in, first-out queue. Appending and removing take constant time on average, however long it is.
///
/// It is public with inlinable members only so that other modules can specialise it for their elements. They
/// use it at every step, and the unspecialised generic code is ten times as slow.
public struct Fifo<Element> {
    @usableFromInline var elements: [Element?] = []
    /// The index of the front in `elements`.
    @usableFromInline var start = 0

    /// Creates an empty queue.
    @inlinable public init() {}

    /// Whether the queue is empty.
    @inlinable public var isEmpty: Bool { start == elements.count }

    /// The number of elements.
    @inlinable public var count: Int { elements.count - start }

    /// The element at the front, which stays in the queue; nil if the queue is empty.
    @inlinable public var first: Element? { start < elements.count ? elements[start] : nil }

    /// Adds an element at the back, in constant time on average.
    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    /// Replaces the element at the front. Does nothing if the queue is empty.
    @inlinable public mutating func replaceFirst(with element: Element) {
        if start < elements.count { elements[start] = element }
    }

    /// Removes and returns the element at the front; nil if the queue is empty.
    @inlinable public mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let first = elements[start]
        elements[start] = nil
        start += 1
        // No more elements are moved than were removed since the last move.
        if start == elements.count {
            elements.removeAll(keepingCapacity: true)
            start = 0
        } else if start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return first
    }
}

extension Fifo: Sendable where Element: Sendable {}

/// Distinct keys in the order in which they were added. Both ends can be read, and any key removed, in
/// constant time on average, however many there are.
///
/// It is public for the same reason as `Fifo`: a server goes through all of its connections every second.
public struct OrderedKeys<Key: Hashable> {
    /// The keys in order, with nil for each that was removed. The last slot is never nil.
    @usableFromInline var slots: [Key?] = []
    /// The index of each key in `slots`.
    @usableFromInline var places: [Key: Int] = [:]
    /// The number of empty slots at the front.
    @usableFromInline var start = 0

    /// Creates an empty collection of keys.
    @inlinable public init() {}

    /// Whether there are no keys.
    @inlinable public var isEmpty: Bool { places.isEmpty }

    /// The number of keys.
    @inlinable public var count: Int { places.count }

    /// The key that was added first; nil if there are no keys.
    @inlinable public var first: Key? { start < slots.count ? slots[start] : nil }

    /// The key that was added last; nil if there are no keys.
    @inlinable public var last: Key? { slots.last ?? nil }

    /// Whether the key is included, in constant time on average.
    @inlinable public func contains(_ key: Key) -> Bool { places[key] != nil }

    /// All keys, in order. Takes time in proportion to their number.
    @inlinable public var all: [Key] { slots.compactMap { $0 } }

    /// Returns the first keys in order, at most `count`.
    @inlinable public func prefix(_ count: Int) -> [Key] {
        isEmpty ? [] : Array(slots[start...].lazy.compactMap { $0 }.prefix(count))
    }

    /// Adds a key at the end. A key that is included already keeps its place.
    @inlinable public mutating func append(_ key: Key) {
        guard places[key] == nil else { return }
        places[key] = slots.count
        slots.append(key)
    }

    /// Removes a key, if it is included.
    @inlinable public mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        slots[place] = nil
        while let last = slots.last, last == nil { slots.removeLast() }
        start = min(start, slots.count)
        while start < slots.count, slots[start] == nil { start += 1 }
        // No more keys are moved than were removed since the last move.
        guard slots.count > 2 * places.count + 8 else { return }
        slots.removeAll { $0 == nil }
        start = 0
        for (place, key) in slots.enumerated() { if let key { places[key] = place } }
    }
}

extension OrderedKeys: Sendable where Key: Sendable {}
