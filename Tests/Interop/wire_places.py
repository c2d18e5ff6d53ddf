"""Where insertions stand in a text, from Sources/Docs/WIRE.md ("Places") alone: slow, and in the page's words."""
from wire_operations import TEXT, sequence_count


class Text:
    """The text under one key of a document's root map."""

    def __init__(self, key):
        self.place = (1, ((("key", key), TEXT, 1),))
        # By dot: parent (None: the start), "left" or "right", right origin, scalar, whether it is shown.
        self.positions, self.order = {}, []

    def apply(self, change):
        first = change["first"]
        for operation in change["operations"]:
            if operation.get("place") == self.place:
                if operation["tag"] == 13:
                    self.insert((change["replica"], first), operation)
                for replica, begin, end in operation.get("ranges", []):
                    for dot, position in self.positions.items():
                        if dot[0] == replica and begin <= dot[1] <= end:
                            position["shown"] = False
            first += sequence_count(operation)

    def insert(self, dot, operation):
        origins = operation["left"], operation["right"]
        left, right = (origin if origin in self.positions else None for origin in origins)
        for scalar in operation["text"].decode():
            position = {"right": right, "scalar": scalar, "shown": True, "parent": left, "side": "right"}
            if right is not None and self.is_in_right_subtree(right, left):
                position.update(parent=right, side="left")
            self.positions[dot] = position
            self.order = self.flattened()
            left, dot = dot, (dot[0], dot[1] + 1)

    def is_in_right_subtree(self, dot, of):
        while True:
            position = self.positions[dot]
            if position["parent"] == of:
                return position["side"] == "right"
            if position["parent"] is None:
                return False
            dot = position["parent"]

    def flattened(self):
        rank = {dot: index for index, dot in enumerate(self.order)}
        children = {}
        for dot, position in self.positions.items():
            children.setdefault((position["parent"], position["side"]), []).append(dot)

        def later_first(dot):
            right = self.positions[dot]["right"]
            return (-(len(rank) if right is None else rank[right]), dot)

        order, stack = [], [(None, False)]
        while stack:
            dot, is_open = stack.pop()
            if is_open:
                order.append(dot)
                continue
            right = sorted(children.get((dot, "right"), []), key=later_first)
            stack += [(child, False) for child in reversed(right)]
            if dot is not None:
                stack.append((dot, True))
                stack += [(child, False) for child in reversed(sorted(children.get((dot, "left"), [])))]
        return order

    def shown(self):
        return "".join(self.positions[dot]["scalar"] for dot in self.order if self.positions[dot]["shown"])
