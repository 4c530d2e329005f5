/// A weak reference. Code for a browser names it instead of `weak`, which Embedded Swift lacks.
@propertyWrapper package struct Weak<Object: AnyObject> {
    private weak var object: Object?

    /// A reference to an object, or to none.
    package init(wrappedValue: Object? = nil) { object = wrappedValue }

    /// The object, or nil once it is freed.
    package var wrappedValue: Object? {
        get { object }
        set { object = newValue }
    }
}
