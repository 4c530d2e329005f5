// What the address sanitizer has to report, or it is of no use on this machine: objects that hold each other, and
// that nobody else holds.

final class Node {
    var next: Node?
}

@inline(never)
func loseNodes() {
    // Many, for one that is found on the stack still counts as held.
    for _ in 0..<100 {
        let node = Node()
        node.next = Node()
        node.next?.next = node
    }
}

loseNodes()
