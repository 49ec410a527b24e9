import { badRequest, webhookActive } from '../failure.ts'
import { emit } from '../state.ts'
import type { Update } from '../wire.ts'
import type { Call } from './call.ts'

export async function getUpdates({ bot, parameters, gone }: Call): Promise<readonly Update[]> {
  if (bot.webhookUrl !== '') throw webhookActive()
  const limit = parameters.integer('limit') ?? 100
  const allowed = parameters.array('allowed_updates')
  return bot.updates.poll(
    {
      offset: parameters.integer('offset') ?? 0,
      limit: limit < 1 || limit > 100 ? 100 : limit,
      timeoutSeconds: parameters.integer('timeout') ?? 0,
      allowed: allowed?.filter((type) => typeof type === 'string') ?? null,
    },
    gone,
  )
}

export function setWebhook({ bot, parameters }: Call): true {
  const url = parameters.text('url')
  if (url !== '' && !url.startsWith('https://')) {
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
  }
  bot.webhookUrl = url
  if (parameters.flag('drop_pending_updates')) bot.updates.drop()
  emit(bot, { type: 'polling', waiting: bot.updates.isHeld })
  return true
}

export function deleteWebhook({ bot, parameters }: Call): true {
  bot.webhookUrl = ''
  if (parameters.flag('drop_pending_updates')) bot.updates.drop()
  return true
}

export const getWebhookInfo = ({ bot }: Call): Readonly<Record<string, unknown>> => ({
  url: bot.webhookUrl,
  has_custom_certificate: false,
  pending_update_count: bot.updates.pending.length,
})
