import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, call } from '../../api/call.ts'
import type { DemoSwitch } from '../../api/gateway-api.ts'
import { useRunOnce } from '../../api/once.ts'
import { useNotifyError } from '../../parts/toast.tsx'
import type { Answer } from '../../api/call.ts'
import type { Pane } from './live-demo.ts'

/** The whole demo. */
export type Demo = Answer<'getDemo'>
/** A person in the demo. */
export interface Visitor {
  readonly id: string
  readonly name: string
}

/** A message sent as a person on a platform. */
export interface DemoMessage {
  readonly platform: string
  readonly from: Visitor
  readonly group?: { readonly id: string; readonly title: string; readonly mention: boolean }
  readonly text: string
}

const actInDemo = (
  platform: string,
  operation: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<unknown> => call('actInDemo', { params: { platform, operation }, body })

/** Returns an action on emulated platforms that notifies of failures. */
function useDemoAction<I>(run: (input: I) => Promise<unknown>): UseMutationResult<unknown, ApiError, I> {
  const tellError = useNotifyError()
  const once = useRunOnce()
  return useMutation<unknown, ApiError, I>({
    mutationFn: (input) => once(input, () => run(input)),
    onError: tellError,
  })
}

/** Returns an action that sends a message as a person. */
export const useSendAs = (): UseMutationResult<unknown, ApiError, DemoMessage> =>
  useDemoAction(({ platform, from, group, text }) => {
    const { id, title, mention } = group ?? {}
    return actInDemo(platform, 'say', { from, text, ...(group !== undefined && { group: { id, title }, mention }) })
  })

/** Returns an action that scans, confirms or refuses the latest QR code. */
export const useScan = (
  platform: string,
): UseMutationResult<unknown, ApiError, { readonly act: 'scan' | 'confirm' | 'refuse'; readonly userId?: string }> =>
  useDemoAction((body) => actInDemo(platform, 'scan', { ...body }))

/** Returns an action that injects a fault, or clears it when its ID is given. */
export const useToggleFault = (
  platform: string,
): UseMutationResult<unknown, ApiError, { readonly of: DemoSwitch; readonly active: number | null }> =>
  useDemoAction(({ of, active }) =>
    active === null ? actInDemo(platform, 'injectFault', of.fault) : actInDemo(platform, 'clearFaults', { id: active }),
  )

/** Returns an action that clears all faults of platforms. */
export const useClearFaults = (): UseMutationResult<unknown, ApiError, readonly string[]> =>
  useDemoAction((platforms) => Promise.all(platforms.map((platform) => actInDemo(platform, 'clearFaults'))))

/** Returns the ID of a fault that is active; `null` otherwise. */
export const findActiveFault = (pane: Pane | undefined, of: DemoSwitch): number | null =>
  pane?.faults.find((fault) => fault.switch === of.id)?.id ?? null
