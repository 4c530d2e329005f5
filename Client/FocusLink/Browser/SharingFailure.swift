/// The reason why a device can't share. It has no values, because nothing in a browser tries to: there is no
/// `focusd`.
package enum SharingFailure: Error, Hashable, Sendable {}
