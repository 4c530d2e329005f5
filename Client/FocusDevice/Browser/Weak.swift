/// A reference that is strong here, because Embedded Swift has no weak ones. A cycle of references does no
/// harm: a browser's device lives as long as its program.
@propertyWrapper package struct Weak<Object: AnyObject> {
    /// The object.
    package var wrappedValue: Object?

    /// A reference to an object, or to none.
    package init(wrappedValue: Object? = nil) { self.wrappedValue = wrappedValue }
}
