package import FocusDevice
package import FocusStore

extension Device {
    /// Returns false: a browser can't run the server of its group.
    package func isSharingGroup() throws(StoreError) -> Bool { false }
}
