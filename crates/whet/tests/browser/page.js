// What the page holds, shadows included, and how to wait for something in it.
function* nodes(root) {
    for (const node of root.childNodes) {
        yield node;
        if (node.shadowRoot) yield* nodes(node.shadowRoot);
        if (!["STYLE", "SCRIPT"].includes(node.nodeName)) yield* nodes(node);
    }
}
const text = (root) => [...nodes(root)].filter((node) => node.nodeType === 3).map((node) => node.data).join("");
const all = (selector) => [...nodes(document)].filter((node) => node.matches?.(selector));
const when = async (found) => {
    for (let round = 0; round < 600; round++) {
        const result = found();
        if (result) return result;
        await new Promise((next) => setTimeout(next, 50));
    }
    throw new Error("not found: " + found + " in " + text(document));
};
const boxes = () => all("mte-state-filter").flatMap((filter) => [...filter.shadowRoot.querySelectorAll("input")]);
const click = (node) => node.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
const details = async (id, expect) => {
    click(await when(() => all(`svg[data-mutant-id="${id}"]`)[0]));
    const drawer = () => text(all("mte-drawer-mutant")[0]) + text(all("mte-drawer-mutant")[0].shadowRoot);
    await when(() => drawer().includes(expect));
    // It opens slowly; at the end all of it can be seen.
    await when(() => all("mte-ansi-text").every((node) => node.getBoundingClientRect().bottom <= innerHeight));
    return drawer();
};
