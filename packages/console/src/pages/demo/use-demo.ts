import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, call } from '../../api/call.ts'
import type { DemoSwitch } from '../../api/gateway-api.ts'
import { useOnce } from '../../api/once.ts'
import { useTellError } from '../../parts/toast.tsx'
import type { Pane } from './live-demo.ts'

/** The whole demo. */
export type Demo = Answer<'getDemo'>
/** Who writes: a person, or a person in the group. */
export interface Visitor {
  readonly id: string
  readonly name: string
}

/** What somebody says on a platform. */
export interface Saying {
  readonly platform: string
  readonly from: Visitor
  readonly group?: { readonly id: string; readonly title: string; readonly mention: boolean }
  readonly text: string
}

const act = (platform: string, operation: string, body: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
  call('actInDemo', { params: { platform, operation }, body })

/** An act on emulated platforms; a failure is told. */
function useAct<I>(run: (input: I) => Promise<unknown>): UseMutationResult<unknown, ApiError, I> {
  const tellError = useTellError()
  const once = useOnce()
  return useMutation<unknown, ApiError, I>({
    mutationFn: (input) => once(input, () => run(input)),
    onError: tellError,
  })
}

/** Says something as a person. */
export const useSay = (): UseMutationResult<unknown, ApiError, Saying> =>
  useAct(({ platform, from, group, text }) => {
    const { id, title, mention } = group ?? {}
    return act(platform, 'say', { from, text, ...(group !== undefined && { group: { id, title }, mention }) })
  })

/** What the person with the phone does with the newest code. */
export const useScan = (
  platform: string,
): UseMutationResult<unknown, ApiError, { readonly act: 'scan' | 'confirm' | 'refuse'; readonly userId?: string }> =>
  useAct((body) => act(platform, 'scan', { ...body }))

/** Switches a fault on, or off when its id is given. */
export const useSwitch = (
  platform: string,
): UseMutationResult<unknown, ApiError, { readonly of: DemoSwitch; readonly active: number | null }> =>
  useAct(({ of, active }) =>
    active === null ? act(platform, 'injectFault', of.fault) : act(platform, 'clearFaults', { id: active }),
  )

/** Takes all faults of these platforms away. */
export const useNormal = (): UseMutationResult<unknown, ApiError, readonly string[]> =>
  useAct((platforms) => Promise.all(platforms.map((platform) => act(platform, 'clearFaults'))))

/** The fault that a switch has made, `null`: it is off. */
export const activeFault = (pane: Pane | undefined, of: DemoSwitch): number | null =>
  pane?.faults.find((fault) => fault.switch === of.id)?.id ?? null
