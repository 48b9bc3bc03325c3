"""Replays execution traces of Chakra by their dependencies and durations: a node starts when those that it needs have ended, a
collective when all of its group have come to it, and a message is there when it was sent.

replay_chakra.py PREFIX RANKS [--wrap RANK]: prints the seconds of the iteration, and how many nodes of each type there are; or
writes the trace of a rank as one message (chakra_fields.proto)."""
import json
import struct
import sys
from collections import Counter, defaultdict

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def messages(path):
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        length, at = varint(data, at)
        yield data[at:at + length]
        at += length


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            assert tag & 7 == 2, "wire type"
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        yield tag >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def node_of(data):
    node = dict(needs=[], duration=0, attr={})
    for number, value in fields(data):
        if number == 1:
            node["id"] = value
        elif number == 3:
            node["type"] = value
        elif number in (4, 5):
            node["needs"] += packed(value)
        elif number == 7:
            node["duration"] = value * 1e-6
        elif number == 10:
            attribute = dict(fields(value))
            name = attribute.pop(1).decode()
            node["attr"][name] = next(iter(attribute.values()))
    node.setdefault("id", 0)
    return node


def wrap(prefix, rank):
    def length_of(data):
        length, out = len(data), b""
        while length >= 128:
            out, length = out + struct.pack("B", length & 127 | 128), length >> 7
        return out + struct.pack("B", length)

    for i, message in enumerate(messages("%s.%d.et" % (prefix, rank))):
        sys.stdout.buffer.write((b"\x0a" if i == 0 else b"\x12") + length_of(message) + message)


def replay(prefix, ranks):
    groups = json.load(open(prefix + ".groups.json"))
    traces = [[node_of(m) for m in list(messages("%s.%d.et" % (prefix, rank)))[1:]] for rank in range(ranks)]
    types = Counter(node["type"] for trace in traces for node in trace)
    end = [dict() for _ in range(ranks)]  # when nodes have ended
    waiting = [list(trace) for trace in traces]
    calls = [Counter() for _ in range(ranks)]
    meetings, arrived = defaultdict(dict), {}
    moved = True
    while moved:
        moved = False
        for rank in range(ranks):
            left = []
            for node in waiting[rank]:
                if not all(need in end[rank] for need in node["needs"]):
                    left.append(node)
                    continue
                start = max([end[rank][need] for need in node["needs"]], default=0.0)
                done = finish(rank, node, start, groups, calls, meetings, arrived)
                if done is None:
                    left.append(node)
                else:
                    end[rank][node["id"]] = done
                    moved = True
            waiting[rank] = left
    assert not any(waiting), "%d nodes wait forever" % sum(map(len, waiting))
    return max(max(times.values()) for times in end), types


def finish(rank, node, start, groups, calls, meetings, arrived):
    """When a node ends; None while that is not known."""
    attr = node["attr"]
    if node["type"] == COMPUTE:
        return start + node["duration"]
    if node["type"] == SEND:
        arrived[rank, attr["comm_dst"], attr["comm_tag"]] = start + node["duration"]
        return start + node["duration"]
    if node["type"] == RECEIVE:
        there = arrived.get((attr["comm_src"], rank, attr["comm_tag"]))
        return None if there is None else max(start, there)
    name = attr["pg_name"].decode()
    if "turn" not in node:  # calls of a group follow one another, and are the same on all ranks
        node["turn"] = calls[rank][name]
        calls[rank][name] += 1
    meeting = meetings[name, node["turn"]]
    meeting[rank] = start
    return max(meeting.values()) + node["duration"] if len(meeting) == len(groups[name]) else None


def main():
    if len(sys.argv) > 3:
        wrap(sys.argv[1], int(sys.argv[4]))
        return
    seconds, types = replay(sys.argv[1], int(sys.argv[2]))
    print("%.6f %s" % (seconds, " ".join("%d:%d" % item for item in sorted(types.items()))))


if __name__ == "__main__":
    main()
