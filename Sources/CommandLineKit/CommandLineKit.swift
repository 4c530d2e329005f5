// This module is being written.
