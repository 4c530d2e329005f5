// A program with a leak that the address sanitizer has to report: objects that hold each other and that
// nobody else holds. A sanitizer that doesn't report it is of no use on this machine.

final class Node {
    var next: Node?
}

@inline(never)
func loseNodes() {
    // Many objects, because one of them may still be found on the stack and count as held.
    for _ in 0..<100 {
        let node = Node()
        node.next = Node()
        node.next?.next = node
    }
}

loseNodes()
