import { useMutation, type UseMutationResult, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { Channel } from './standing.ts'
import { listTexts } from './texts.ts'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, call } from '../../api/call.ts'
import { refresh, useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { tell, useTellError } from '../../parts/toast.tsx'

/** A channel with everything that is known of it, kept up to date. */
export const useChannel = (platform: Platform, when = true): UseQueryResult<Channel, ApiError> =>
  useCall('getChannel', { params: { platform } }, { when })

/** Switches a channel on or off: shown at once, and taken back when it is refused. */
export function useEnabled(platform: Platform): UseMutationResult<unknown, ApiError, boolean> {
  const client = useQueryClient()
  const texts = useTexts(listTexts)
  const name = useTexts(platformTexts)[platform]
  const tellError = useTellError()
  const show = (enabled: boolean): void => {
    client.setQueriesData<Channel>({ queryKey: ['getChannel', { params: { platform } }] }, (channel) =>
      channel === undefined
        ? channel
        : { ...channel, enabled, ...(enabled && { state: 'connecting', reason: null, message: null }) },
    )
    client.setQueriesData<Answer<'listChannels'>>({ queryKey: ['listChannels'] }, (list) =>
      list === undefined
        ? list
        : { channels: list.channels.map((one) => (one.platform === platform ? { ...one, enabled } : one)) },
    )
  }
  return useMutation<unknown, ApiError, boolean>({
    mutationFn: (enabled) =>
      enabled
        ? call('saveChannel', { params: { platform }, body: { enabled } })
        : call('disableChannel', { params: { platform } }),
    onMutate: async (enabled) => {
      await client.cancelQueries({ queryKey: ['getChannel', { params: { platform } }] })
      await client.cancelQueries({ queryKey: ['listChannels'] })
      show(enabled)
    },
    onSuccess: (_, enabled) => tell(enabled ? texts.switchedOn(name) : texts.switchedOff(name)),
    onError: (error, enabled) => {
      show(!enabled)
      tellError(error)
    },
    onSettled: () => refresh(client, 'listChannels', 'getChannel', 'listUsers'),
  })
}

/** Stops a channel and starts it again. */
export function useRestart(platform: Platform): UseMutationResult<unknown, ApiError, void> {
  const client = useQueryClient()
  const texts = useTexts(listTexts)
  const name = useTexts(platformTexts)[platform]
  const tellError = useTellError()
  return useMutation<unknown, ApiError, void>({
    mutationFn: async () => {
      await call('disableChannel', { params: { platform } })
      await call('saveChannel', { params: { platform }, body: { enabled: true } })
    },
    onSuccess: () => tell(texts.restarted(name)),
    onError: tellError,
    onSettled: () => refresh(client, 'listChannels', 'getChannel'),
  })
}

/** Deletes the credentials of a channel. What hangs on them is not asked for any more. */
export function useForget(platform: Platform): UseMutationResult<unknown, ApiError, void> {
  const client = useQueryClient()
  const of = { params: { platform } }
  return useMutation<unknown, ApiError, void>({
    mutationFn: () => call('forgetChannel', of),
    onSuccess: () => {
      client.setQueriesData<Channel>({ queryKey: ['getChannel', of] }, (channel) =>
        channel === undefined ? channel : { ...channel, has_config: false },
      )
      return refresh(client, 'listChannels', 'getChannel', 'listConversations', 'listAllDeliveries')
    },
  })
}
