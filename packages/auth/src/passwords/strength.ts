import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

let loaded: Promise<ZxcvbnFactory> | undefined

/**
 * How well a password resists guessing, from 0 (at once) to 4 (out of reach). The library is loaded at first use; it looks
 * at no more than the first 256 characters.
 * @param about Texts about the owner, which make no good passwords.
 * @see Wheeler, "zxcvbn: Low-Budget Password Strength Estimation", USENIX Security 2016
 */
export async function passwordStrength(password: string, about: readonly string[]): Promise<number> {
  loaded ??= load()
  const { score } = (await loaded).check(password, [...about])
  return score
}

async function load(): Promise<ZxcvbnFactory> {
  const [core, common] = await Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')])
  return new core.ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs })
}
