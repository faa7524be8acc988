# Completion of msgctl for PowerShell.

Register-ArgumentCompleter -Native -CommandName msgctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # The words up to the cursor, without quotes and backticks.
    $elements = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition })
    $typed = @($elements | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $quote = ''
    if ($elements.Count -eq 0 -or $elements[-1].Extent.EndOffset -lt $cursorPosition) {
        $typed += ''
    } elseif ($elements[-1].Extent.Text -match '^[''"]') {
        $quote = $Matches[0]
    }
    $word = $typed[-1]

    # Before PowerShell 7.3, an empty word is passed only with quotes of its own.
    $isLegacy = $PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy'
    if ($word -eq '' -and $isLegacy) { $typed[-1] = '""' }
    $encoding = [Console]::OutputEncoding
    [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
    try { $lines = @(& msgctl complete '--' @typed 2>$null) } finally { [Console]::OutputEncoding = $encoding }

    # The last line says whether files are completed too (:0) or not (:4). An empty text keeps PowerShell from completing them.
    $candidates = @($lines | Select-Object -SkipLast 1)
    if ($candidates.Count -eq 0 -and $lines[-1] -ne ':0') { return '' }

    # Of an option with =, only the value is completed.
    $option = if ($word -match '^--[^=]*=') { $Matches[0] } else { '' }
    foreach ($line in $candidates) {
        $value, $summary = $line.Split("`t", 2)
        if (-not $summary) { $summary = $value }
        # Outside of quotes, blanks, commas and @ have a meaning of their own.
        $text = if ($quote) { "$quote$option$value$quote" } else { "$option$value" -replace '[ ,@]', '`$0' }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $summary)
    }
}
