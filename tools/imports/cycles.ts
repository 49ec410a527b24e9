/**
 * The groups of nodes that reach one another (Tarjan's strongly connected components), and nodes that reach themselves
 * directly. Groups of one that do not are left out.
 */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const cycles: string[][] = []
  const visit = (node: string): number => {
    let lowest = index.size
    const own = lowest
    index.set(node, own)
    stack.push(node)
    onStack.add(node)
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, visit(next))
      else if (onStack.has(next)) lowest = Math.min(lowest, index.get(next) ?? lowest)
    }
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(node))
      for (const member of group) onStack.delete(member)
      if (group.length > 1 || (edges.get(node) ?? []).includes(node)) cycles.push(group.toSorted())
    }
    return lowest
  }
  for (const node of edges.keys()) if (!index.has(node)) visit(node)
  return cycles
}
