import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AssistantForm, Reset } from './assistant-form.tsx'
import { assistantTexts } from './texts.ts'
import { ApiError } from '../../api/client.ts'
import type { Assistant } from '../../api/gateway-api.ts'
import { queryKey, useCall } from '../../api/queries.ts'
import { useViewedAccount } from '../../api/viewed-account.ts'
import { StaffOnly } from '../../frame/status-pages.tsx'
import { useTexts } from '../../language/language.ts'
import { Page as Sheet, Stack } from '../../parts/layout.tsx'
import { Failure, Loading } from '../../parts/states.tsx'

/** The assistant page, for staff. */
export const Page = (): ReactNode => (
  <StaffOnly>
    <AssistantPage />
  </StaffOnly>
)

function AssistantPage(): ReactNode {
  const texts = useTexts(assistantTexts)
  const client = useQueryClient()
  const account = useViewedAccount()
  const { data, error, refetch } = useCall('getAssistant', {})
  const keep = (assistant: Assistant): void =>
    void client.setQueryData<Assistant>(queryKey('getAssistant', {}, account), assistant)
  const isUnreadable = error instanceof ApiError && error.code === 'assistant_unreadable'
  return (
    <Sheet title={texts.title} lead={texts.lead}>
      {data === undefined && error === null && <Loading lines={6} />}
      {data === undefined && error !== null && (
        <Stack>
          <Failure error={error} onRetry={() => void refetch()} />
          {isUnreadable && (
            <div>
              <p>{texts.unreadable}</p>
              <Reset onReset={keep} />
            </div>
          )}
        </Stack>
      )}
      {data !== undefined && <AssistantForm assistant={data} onChanged={keep} />}
    </Sheet>
  )
}
