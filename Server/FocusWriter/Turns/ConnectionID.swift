/// A number that no other connection of this process has.
package typealias ConnectionID = UInt64
