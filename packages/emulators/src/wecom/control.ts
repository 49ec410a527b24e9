import type { PlatformControl, ScanAct } from '../kit/control.ts'
import type { EmulatorServer } from '../kit/server.ts'
import { WECOM_KINDS, WECOM_SWITCHES, type WecomFault } from './faults.ts'
import { kick } from './frames.ts'
import { raiseEvent, say } from './say.ts'
import type { WecomState } from './state.ts'

/** What a test or the demo page can do. */
export const createControl = (state: WecomState, server: EmulatorServer): PlatformControl<WecomFault> => ({
  ...state.world.operations(),
  bot: async () => ({
    id: state.bot.id,
    name: state.bot.name,
    connected: state.live !== null,
    setup: waiting(state),
    credentials: { bot_id: state.bot.id, secret: state.bot.secret },
  }),
  say: async (options) => say(state, server.url, options),
  injectFault: async (fault) => {
    if (!Object.hasOwn(WECOM_KINDS, fault.kind)) throw new RangeError(`There is no fault ${String(fault.kind)}`)
    // what happens at once is no fault that waits: its id clears nothing
    if (fault.kind === 'kick') kick(state)
    else if (fault.kind === 'event') raiseEvent(state, fault.from, fault.chatId, fault.event)
    else return state.faults.inject(fault)
    return { id: 0 }
  },
  faults: async () => state.faults.active,
  clearFaults: async ({ id } = {}) => state.faults.clear(id),
  switches: async () => WECOM_SWITCHES,
  dropConnections: async () => server.dropConnections(),
  async revoke() {
    state.bot.revoked = true
    state.live?.socket.close()
    state.live = null
  },
  scan: async (act) => scan(state, act),
})

function waiting({ qr, clock }: WecomState): 'waiting' | 'scanned' | null {
  if (qr === null || qr.untilMs <= clock.now()) return null
  return qr.status === 'init' ? 'waiting' : qr.status === 'scanned' ? 'scanned' : null
}

function scan(state: WecomState, { act }: ScanAct): void {
  const { qr } = state
  if (qr === null) throw new RangeError('No QR code has been asked for')
  if (qr.untilMs <= state.clock.now()) qr.status = 'expired'
  if (qr.status !== 'init' && qr.status !== 'scanned') throw new RangeError('The QR code is used up')
  switch (act) {
    case 'scan':
      qr.status = 'scanned'
      return
    case 'confirm':
      if (state.bot.revoked) state.renewSecret()
      qr.status = 'success'
      return
    case 'refuse':
      qr.status = 'refused'
      return
    case 'expire':
      qr.status = 'expired'
      return
    default:
      throw new RangeError(`WeCom knows no ${act}`)
  }
}
