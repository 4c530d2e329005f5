print("focus: being written")
