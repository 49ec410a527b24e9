import { describePlatform } from '../../contract/platform.contract.ts'
import { feishuHarness } from './feishu.contract.ts'

describePlatform('feishu', feishuHarness)
