"""Tasks for two annotation tools, Potato and Label Studio, and the answers they give back.

What their files look like was read in their manuals: best-worst scaling of Potato 2 (instances with
``_bws_items``; answers under ``best`` and ``worst`` by position), task format of Label Studio.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

import msgspec

from equipoise.annotate.campaign import Campaign
from equipoise.errors import InputError
from equipoise.records.codec import encode, pretty
from equipoise.records.packet import Packet
from equipoise.studies.rating.exchange_rows import Row
from equipoise.studies.rating.exchange_tables import letter

SCHEMA = "choice"
"""What the task is called in Potato's answers."""

_BEST, _WORST = "best", "worst"


def potato_files(campaign: Campaign) -> dict[str, bytes]:
    """Gives for each annotator and size of set the instances and a configuration to begin with.

    The `source_id` of an item is its position: in Potato it stands in the page.
    """
    found: dict[str, bytes] = {}
    for name, packets in _by_task(campaign):
        lines = [encode(_instance(packet)) + b"\n" for packet in packets]
        found[f"{name}/tasks.jsonl"] = b"".join(lines)
        found[f"{name}/config.yaml"] = _potato_config(name, packets[0]).encode()
    return found


def label_studio_files(campaign: Campaign) -> dict[str, bytes]:
    """Gives for each annotator, axis and size of set the tasks and a labelling configuration."""
    found: dict[str, bytes] = {}
    for name, packets in _by_task(campaign):
        tasks = [{"data": _data(packet)} for packet in packets]
        found[f"{name}/tasks.json"] = pretty(tasks)
        found[f"{name}/config.xml"] = _label_config(packets[0]).encode()
    return found


def rows_of_potato(content: bytes, name: str) -> Iterator[Row]:
    """Yields the answers of a ``user_state.json``, or of lines of annotated instances.

    Raises:
        InputError: it is neither.
    """
    whole = _json(content)
    if isinstance(whole, dict) and "instance_id_to_label_to_value" in whole:
        yield from _of_state(whole, name)
        return
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        read = _json(line)
        if not isinstance(read, dict):
            raise InputError(
                "no JSON object",
                wanted="Potato's user_state.json, or its annotated instances, one a line",
                where=where,
                code="no_potato",
            )
        labels = read.get("label_annotations", read.get("annotation", {}))
        chosen = _chosen(labels if isinstance(labels, dict) else {})
        packet = read.get("instance_id", read.get("id", ""))
        yield Row(
            where=where,
            packet=str(packet),
            best=chosen.get(_BEST, ""),
            worst=chosen.get(_WORST, ""),
            options=_listed(read.get("_bws_items")),
            raw=labels if isinstance(labels, dict) else {},
        )


def rows_of_label_studio(content: bytes, name: str) -> Iterator[Row]:
    """Yields the answers of an export of Label Studio (JSON).

    Raises:
        InputError: it is no list of tasks.
    """
    tasks = _json(content)
    if not isinstance(tasks, list):
        raise InputError(
            "no list of tasks", wanted="Label Studio's export as JSON", where=name, code="no_tasks"
        )
    for number, task in enumerate(tasks, start=1):
        where = f"{name}: task {number}"
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise InputError("no data", wanted="tasks with their data", where=where, code="no_data")
        data = task["data"]
        for one in task.get("annotations") or ():
            if isinstance(one, dict) and not one.get("was_cancelled"):
                yield _annotated(data, one, where)


def _annotated(data: Mapping[str, Any], one: Mapping[str, Any], where: str) -> Row:
    chosen: dict[str, str] = {}
    result = one.get("result")
    for part in result if isinstance(result, list) else ():
        value = part.get("value") if isinstance(part, dict) else None
        picked = value.get("choices") if isinstance(value, dict) else None
        if isinstance(picked, list) and picked:
            chosen[str(part.get("from_name", ""))] = str(picked[0])
    facts: dict[str, Any] = {}
    spent = one.get("lead_time")
    if isinstance(spent, int | float) and not isinstance(spent, bool) and 0 <= spent < 1e9:
        facts["seconds"] = float(spent)
    if isinstance(one.get("created_at"), str):
        facts["at"] = one["created_at"]
    texts = [data[key] for key in sorted(data) if key.startswith("text_")]
    return Row(
        where=where,
        packet=str(data.get("packet", "")),
        best=chosen.get(_BEST, ""),
        worst=chosen.get(_WORST, ""),
        options=tuple(str(text) for text in texts) or None,
        facts=facts,
        raw=data,
    )


def _by_task(campaign: Campaign) -> Iterator[tuple[str, list[Packet]]]:
    """Yields what one person is asked on one axis in sets of one size, under a folder's name."""
    for who, names in campaign.lists.items():
        groups: dict[tuple[str, int], list[Packet]] = {}
        for name in names:
            packet = campaign.packets[name]
            groups.setdefault((packet.axis, len(packet.options)), []).append(packet)
        for (axis, size), packets in groups.items():
            yield f"{who}/{axis}-{size}", packets


def _instance(packet: Packet) -> dict[str, Any]:
    beside = [packet.prompt, *(f"{doc.name}: {doc.text}" for doc in packet.docs)]
    items = [
        {"source_id": letter(place), "text": option.text, "position": letter(place)}
        for place, option in enumerate(packet.options)
    ]
    return {
        "id": packet.id,
        "text": "\n".join(text for text in beside if text),
        "_bws_items": items,
        "_bws_tuple_size": len(items),
    }


def _potato_config(name: str, packet: Packet) -> str:
    asked = encode(packet.ask).decode()
    return (
        f"annotation_task_name: {encode(name).decode()}\n"
        "task_dir: .\n"
        "data_files: [tasks.jsonl]\n"
        "item_properties: {id_key: id, text_key: text}\n"
        "output_annotation_dir: annotation_output\n"
        "output_annotation_format: jsonl\n"
        "assignment_strategy: {name: fixed_order}\n"
        "annotation_schemes:\n"
        "  - annotation_type: bws\n"
        f"    name: {SCHEMA}\n"
        f"    description: {asked}\n"
        f"    best_description: {asked}\n"
        "    worst_description: And which least?\n"
        f"    tuple_size: {len(packet.options)}\n"
        "    sequential_key_binding: true\n"
    )


def _data(packet: Packet) -> dict[str, str]:
    texts = {f"text_{letter(at)}": option.text for at, option in enumerate(packet.options)}
    docs = {f"doc_{number}": doc.text for number, doc in enumerate(packet.docs, start=1)}
    return {"packet": packet.id, "ask": packet.ask, "prompt": packet.prompt} | docs | texts


def _label_config(packet: Packet) -> str:
    letters = [letter(place) for place in range(len(packet.options))]
    lines = ["<View>", '  <Header value="$ask"/>']
    if packet.prompt:
        lines.append('  <Text name="prompt" value="$prompt"/>')
    for number, doc in enumerate(packet.docs, start=1):
        lines.append(f"  <Header value={quoteattr(doc.name)}/>")
        lines.append(f'  <Text name="doc_{number}" value="$doc_{number}"/>')
    for one in letters:
        lines.append(f'  <Header value="{one}"/>')
        lines.append(f'  <Text name="text_{one}" value="$text_{one}"/>')
    roles = (_BEST,) if len(letters) == 2 else (_BEST, _WORST)
    for role in roles:
        lines.append(f'  <Header value="{role}"/>')
        lines.append(
            f'  <Choices name="{role}" toName="text_A" choice="single-radio" required="true">'
        )
        lines += [f'    <Choice value="{one}"/>' for one in letters]
        lines.append("  </Choices>")
    return "\n".join([*lines, "</View>", ""])


def _of_state(state: Mapping[str, Any], name: str) -> Iterator[Row]:
    labels = state["instance_id_to_label_to_value"]
    for packet, pairs in labels.items() if isinstance(labels, dict) else ():
        chosen: dict[str, str] = {}
        for pair in pairs if isinstance(pairs, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
                chosen[str(pair[0].get("name", ""))] = str(pair[1])
        yield Row(
            where=f"{name}: {packet}",
            packet=str(packet),
            best=chosen.get(_BEST, ""),
            worst=chosen.get(_WORST, ""),
            raw=chosen,
        )


def _chosen(labels: Mapping[str, Any]) -> dict[str, str]:
    """Gives best and worst of Potato's labels: under the name of the schema, or alone."""
    for one in (labels, *labels.values()):
        if isinstance(one, dict) and (_BEST in one or _WORST in one):
            return {key: str(value) for key, value in one.items() if isinstance(value, str)}
    return {}


def _listed(items: Any) -> tuple[str, ...] | None:
    if not isinstance(items, list):
        return None
    return tuple(str(one.get("text", "")) for one in items if isinstance(one, dict))


def _json(content: bytes) -> Any:
    try:
        return msgspec.json.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
