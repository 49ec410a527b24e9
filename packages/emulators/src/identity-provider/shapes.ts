import type { Shapes } from './shape.ts'
import { ACCOUNT_SHAPES } from './shapes/accounts.ts'
import { ASIA_SHAPES } from './shapes/asia.ts'
import { CODE_SHAPES } from './shapes/code.ts'
import { CORE_SHAPES } from './shapes/core.ts'
import { LEARNING_SHAPES } from './shapes/learning.ts'
import { LEISURE_SHAPES } from './shapes/leisure.ts'
import { MONEY_SHAPES } from './shapes/money.ts'
import { OPENID_LIKE_SHAPES } from './shapes/openid-like.ts'
import { OWN_SHAPES } from './shapes/own.ts'
import { SIGNED_SHAPES } from './shapes/signed.ts'
import { SOCIAL_SHAPES } from './shapes/social.ts'
import { WORK_SHAPES } from './shapes/work.ts'

/** All providers, by id. */
export const SHAPES: Shapes = {
  ...CORE_SHAPES,
  ...OPENID_LIKE_SHAPES,
  ...SOCIAL_SHAPES,
  ...CODE_SHAPES,
  ...WORK_SHAPES,
  ...ACCOUNT_SHAPES,
  ...LEARNING_SHAPES,
  ...LEISURE_SHAPES,
  ...MONEY_SHAPES,
  ...ASIA_SHAPES,
  ...SIGNED_SHAPES,
  ...OWN_SHAPES,
}
