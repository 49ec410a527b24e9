import { resolveAuthParams } from '../apps/app-options.ts'
import type { ExchangeStart } from '../exchange.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { OAuth2Record, RecordVariant } from './record.ts'
import { readSettingText } from './values.ts'

/** The record as it is for an app. @param scopes Those that are asked for; they may not be known yet. */
export function recordFor(record: OAuth2Record, app: SocialApp, scopes: readonly string[] = []): OAuth2Record {
  const fitting = (record.variants ?? []).filter(({ when }) => variantApplies(when, app, scopes))
  return fitting.reduce((changed, { use }) => ({ ...changed, ...use }), record)
}

const NOTHING_ASKED: ExchangeStart = {
  state: '',
  action: 'authenticate',
  scope: [],
  authParams: {},
  query: new URLSearchParams(),
}

function variantApplies(when: RecordVariant['when'], app: SocialApp, scopes: readonly string[]): boolean {
  if ('scope' in when) return scopes.includes(when.scope)
  if ('withoutScope' in when) return !scopes.includes(when.withoutScope)
  // Only the operator's setting: the visitor must not choose which id counts.
  if ('authParam' in when)
    return resolveAuthParams(app, {}, NOTHING_ASKED)[when.authParam]?.trim().toLowerCase() === when.is
  return readSettingText(app, when.setting).toLowerCase() === when.is
}
