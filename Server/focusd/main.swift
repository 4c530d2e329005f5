print("focusd: being written")
