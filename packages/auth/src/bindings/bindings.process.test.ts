import { bindingContract } from './bindings.contract.ts'
import { hardshipContract } from './hardship.contract.ts'
import { onExpress, onFastify, onHono } from './testing/servers.ts'

for (const [name, start] of [
  ['Hono', onHono],
  ['Express', onExpress],
  ['Fastify', onFastify],
] as const) {
  bindingContract(name, start)
  hardshipContract(name, start)
}
