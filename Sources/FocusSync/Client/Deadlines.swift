import FocusCore

/// The instants at which keys are due. Reading the earliest takes constant time. Setting a key's instant
/// takes time logarithmic in the number of keys.
struct Deadlines<Key: Hashable> {
    private struct Entry {
        var instant: SteadyInstant
        let key: Key
    }

    /// A binary heap by instant: no entry is earlier than its parent. The children of index i are at 2i + 1
    /// and 2i + 2.
    private var heap: [Entry] = []
    /// The index of each key in the heap.
    private var places: [Key: Int] = [:]

    /// The earliest instant; nil if no key is due.
    var earliest: SteadyInstant? { heap.first?.instant }

    /// The instant at which the key is due; nil if it never is.
    subscript(key: Key) -> SteadyInstant? {
        get { places[key].map { heap[$0].instant } }
        set {
            switch (places[key], newValue) {
            case (nil, nil): break
            case (nil, let instant?):
                heap.append(Entry(instant: instant, key: key))
                sift(heap.count - 1)
            case (let place?, let instant?):
                heap[place].instant = instant
                sift(place)
            case (let place?, nil):
                places[key] = nil
                let last = heap.removeLast()
                guard place < heap.count else { return }
                heap[place] = last
                sift(place)
            }
        }
    }

    /// Returns the keys that are due by `now`, in no order. Visits only these and their children in the heap.
    func due(at now: SteadyInstant) -> [Key] {
        var due: [Key] = []
        var places = [0]
        while let place = places.popLast() {
            guard place < heap.count, heap[place].instant <= now else { continue }
            due.append(heap[place].key)
            places += [2 * place + 1, 2 * place + 2]
        }
        return due
    }

    /// Moves the entry at `start` up or down the heap to its place.
    private mutating func sift(_ start: Int) {
        let entry = heap[start]
        var place = start
        while place > 0, case let parent = (place - 1) / 2, entry.instant < heap[parent].instant {
            put(heap[parent], at: place)
            place = parent
        }
        while let child = leastChild(of: place), heap[child].instant < entry.instant {
            put(heap[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    /// Returns the index of the child with the earlier instant, or nil if there are no children.
    private func leastChild(of place: Int) -> Int? {
        let children = (2 * place + 1)..<min(2 * place + 3, max(heap.count, 2 * place + 1))
        return children.min { heap[$0].instant < heap[$1].instant }
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        places[entry.key] = place
    }
}
